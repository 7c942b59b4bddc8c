/**
 * Guardrail against secrets: `@toolgen/runtime/secretlint`. Needs the optional peers `@secretlint/core` and
 * `@secretlint/secretlint-rule-preset-recommend`.
 *
 * @module
 */

export type { SecretGuardrail, SecretGuardrailOptions } from './adapters/secret-guardrail.js'
export { secretGuardrail } from './adapters/secret-guardrail.js'
