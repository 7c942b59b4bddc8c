import { lintSource } from '@secretlint/core'
import { rules } from '@secretlint/secretlint-rule-preset-recommend'
import type { Guardrail, GuardrailResult } from '../types/guardrail.js'

/** Options for {@link secretGuardrail}. */
export interface SecretGuardrailOptions {
  /** Reaction to a secret. `block` rejects the value. `flag` only publishes an event. Default: `block`. */
  readonly action?: 'block' | 'flag'
  /**
   * Kinds of secrets that the guardrail ignores, for example `BasicAuth`. To find the name of a kind, see the property `info.secrets` of a
   * guardrail event. Default: none.
   */
  readonly allow?: readonly string[]
}

type Checked = { readonly text: string } | { readonly arguments: unknown }

/** Guardrail against secrets, for all stages: input, output, tool calls and tool results. */
export type SecretGuardrail = Guardrail<Checked, GuardrailResult>

// The preset cannot be used as a whole: with its last rule, a comment `secretlint-disable` in the text would switch the other rules off.
const LINT_OPTIONS = {
  config: {
    rules: rules
      .filter(({ meta }) => meta.id !== '@secretlint/secretlint-rule-filter-comments')
      .map((rule) => ({ id: rule.meta.id, rule })),
  },
  noPhysicFilePath: true,
}

/**
 * Creates a guardrail that finds secrets with the recommended rules of secretlint. These rules find private keys, passwords in URLs, and the keys and
 * tokens of providers such as AWS, GitHub and OpenAI. The failure message and the guardrail event contain only the kinds of the secrets, not the
 * secrets.
 *
 * @example
 * const secrets = secretGuardrail()
 * base(model).with(useGuardrails({ input: [secrets], output: [secrets], toolCall: [secrets], toolResult: [secrets] }))
 * @throws {TypeError} if an option is invalid.
 */
export function secretGuardrail({ action = 'block', allow = [] }: SecretGuardrailOptions = {}): SecretGuardrail {
  if (action !== 'block' && action !== 'flag') {
    throw new TypeError(`secretGuardrail: invalid action ${JSON.stringify(action)}. Expected 'block' or 'flag'.`)
  }
  if (!Array.isArray(allow) || allow.some((kind) => typeof kind !== 'string')) {
    throw new TypeError("secretGuardrail: `allow` must be an array of kinds of secrets, for example ['BasicAuth'].")
  }
  return {
    name: 'secrets',
    async check(context) {
      const content = 'text' in context ? context.text : jsonOf(context.arguments)
      const source = { content, contentType: 'text', filePath: 'text.txt', ext: '.txt' } as const
      const { messages } = await lintSource({ source, options: LINT_OPTIONS })
      const kinds = new Set(messages.map(({ messageId }) => messageId).filter((kind) => !allow.includes(kind)))
      if (kinds.size === 0) return 'pass'
      // The messages of secretlint contain the secrets.
      const secrets = [...kinds].sort()
      return { action, message: `The text contains a secret (${secrets.join(', ')}). Remove it.`, info: { secrets } }
    },
  }
}

function jsonOf(value: unknown): string {
  // JSON does not support `bigint`.
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part)) ?? ''
}
