/**
 * Layers that keep a service and its callers from harming each other: `@toolgen/runtime/resilience`. Needs the optional
 * peers `cockatiel`, `limiter` and `lru-cache`.
 *
 * @module
 */
export type { BulkheadOptions } from './resilience/bulkhead.js'
export { bulkhead } from './resilience/bulkhead.js'
export type { CacheOptions } from './resilience/cache.js'
export { cache } from './resilience/cache.js'
export type { CacheAudience } from './resilience/cache-key.js'
export type { CircuitBreakerOptions, FailureRate } from './resilience/circuit-breaker.js'
export { circuitBreaker } from './resilience/circuit-breaker.js'
export type { RateLimitOptions } from './resilience/rate-limit.js'
export { rateLimit } from './resilience/rate-limit.js'
export type { BackoffOptions, Jitter } from './resilience/retry-with-backoff.js'
export { retryWithBackoff } from './resilience/retry-with-backoff.js'
export type { StateScope } from './resilience/state-scope.js'
