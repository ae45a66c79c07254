package dev.ratelimit.spring.web;

@InFilterPhase
class PathRuleInFilterWebTest extends PathRuleWebTest {}
