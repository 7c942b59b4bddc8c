/**
 * Guardrail that detects secrets such as API keys: `@toolgen/runtime/secretlint`. Requires the optional peer
 * dependencies `@secretlint/core` and `@secretlint/secretlint-rule-preset-recommend`.
 *
 * @module
 */

export type { SecretGuardrail, SecretGuardrailOptions } from './adapters/secret-guardrail.js'
export { secretGuardrail } from './adapters/secret-guardrail.js'
