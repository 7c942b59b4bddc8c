/**
 * Layers that limit, cache and retry calls: `@toolgen/runtime/resilience`. Requires the optional peer dependencies
 * `cockatiel`, `limiter` and `lru-cache`.
 *
 * @module
 */

export { retryWithBackoff } from './layers/backoff.js'
export { bulkhead } from './layers/bulkhead.js'
export { cache } from './layers/cache.js'
export { circuitBreaker } from './layers/circuit-breaker.js'
export { rateLimit } from './layers/rate-limit.js'
export type {
  CircuitGrant,
  CircuitReport,
  FailureRate,
  LimitStore,
  RateGrant,
  SharedCircuit,
  SharedRate,
} from './types/limits.js'
