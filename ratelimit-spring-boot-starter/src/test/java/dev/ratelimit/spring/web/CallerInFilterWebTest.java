package dev.ratelimit.spring.web;

@InFilterPhase
class CallerInFilterWebTest extends CallerWebTest {}
