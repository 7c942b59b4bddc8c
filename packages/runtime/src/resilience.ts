export type { BackoffOptions } from './layers/backoff.js'
export { retryWithBackoff } from './layers/backoff.js'
export type { CacheOptions } from './layers/cache.js'
export { cache } from './layers/cache.js'
/**
 * Layers that keep a service and its callers from harming each other: `@toolgen/runtime/resilience`. Needs the optional
 * peers `cockatiel`, `limiter` and `lru-cache`.
 *
 * @module
 */
export type { BulkheadOptions, CircuitBreakerOptions, RateLimitOptions } from './layers/limits.js'
export { bulkhead, circuitBreaker, rateLimit } from './layers/limits.js'
