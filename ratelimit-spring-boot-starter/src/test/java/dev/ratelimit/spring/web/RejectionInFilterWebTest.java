package dev.ratelimit.spring.web;

@InFilterPhase
class RejectionInFilterWebTest extends RejectionWebTest {}
