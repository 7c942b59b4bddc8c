import type { AgentToolsetOptions } from '../../contract/agent-toolset.js'
import { peek } from '../../execute/failure/peek.js'

/** What each option of an agent's tool is. */
const OPTIONS = {
  text: 'string',
  template: 'string',
  systemPrompt: 'string',
  prose: 'boolean',
  aggregate: 'function',
} as const

const WORDS = { string: 'text', boolean: 'boolean', function: 'function' } as const

/**
 * What plain JavaScript says of the tools of an agent.
 *
 * @throws {TypeError} naming the option that is none.
 */
export function requireToolOptions(toolset: string, { tools = {} }: AgentToolsetOptions<any>): void {
  // `any`: generated code says what the tools answer.
  for (const [tool, options] of Object.entries<unknown>(tools)) {
    for (const [name, type] of Object.entries(OPTIONS)) {
      const option = peek(options, name)
      if (option === undefined || typeof option === type) continue
      throw new TypeError(`toolset '${toolset}': tools.${tool}.${name} is no ${WORDS[type]}`)
    }
  }
}
