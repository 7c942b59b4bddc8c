import { readFileSync } from 'node:fs'
import { experimental_runCodeMode as runCodeMode } from '@ai-sdk/code-mode'
import { tool } from 'ai'
import { z } from 'zod'

const { version } = JSON.parse(
  readFileSync(new URL('./node_modules/@ai-sdk/code-mode/package.json', import.meta.url), 'utf8'),
)
export const name = `@ai-sdk/code-mode ${version}`

/** Name of a tool in programs. */
export const pathOf = ({ toolset, name }) => `tools.${toolName(toolset, name)}`

const toolName = (toolset, name) => `${toolset}_${name}`.replaceAll(/\W/g, '_')

/** Prepares programs that call these tools. `call(tool, args)` executes a tool. */
export function prepare(specs, call) {
  const tools = Object.fromEntries(
    specs.map((spec) => [
      toolName(spec.toolset, spec.name),
      tool({
        description: spec.description,
        inputSchema: z.fromJSONSchema(spec.arguments),
        outputSchema: z.fromJSONSchema(spec.result),
        execute: async (args) => call(spec, args),
      }),
    ]),
  )
  return {
    async run(js) {
      try {
        return { ok: true, value: await runCodeMode({ js, tools }) }
      } catch (error) {
        return { ok: false, message: String(error) }
      }
    },
    // Validates the arguments, as for the calls of a program.
    async direct(spec, args) {
      const { inputSchema, execute } = tools[toolName(spec.toolset, spec.name)]
      return execute(inputSchema.parse(args), { toolCallId: 'x', messages: [] })
    },
  }
}
