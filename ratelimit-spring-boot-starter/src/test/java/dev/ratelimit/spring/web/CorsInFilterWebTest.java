package dev.ratelimit.spring.web;

@InFilterPhase
class CorsInFilterWebTest extends CorsWebTest {}
