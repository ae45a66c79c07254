package dev.ratelimit.spring.web;

@InFilterPhase
class DispatchInFilterWebTest extends DispatchWebTest {}
