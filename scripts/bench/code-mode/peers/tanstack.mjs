import { readFileSync } from 'node:fs'
import { toolDefinition } from '@tanstack/ai'
import { createCodeMode } from '@tanstack/ai-code-mode'
import { createNodeIsolateDriver } from '@tanstack/ai-isolate-node'
import { z } from 'zod'

const { version } = JSON.parse(
  readFileSync(new URL('./node_modules/@tanstack/ai-code-mode/package.json', import.meta.url), 'utf8'),
)
export const name = `@tanstack/ai-code-mode ${version}`

/** Name of a tool in programs. */
export const pathOf = ({ toolset, name }) => `external_${toolName(toolset, name)}`

const toolName = (toolset, name) => `${toolset}_${name}`.replaceAll(/\W/g, '_')

/** Prepares programs that call these tools. `call(tool, args)` executes a tool. */
export function prepare(specs, call) {
  const tools = new Map(
    specs.map((spec) => [
      toolName(spec.toolset, spec.name),
      toolDefinition({
        name: toolName(spec.toolset, spec.name),
        description: spec.description,
        inputSchema: z.fromJSONSchema(spec.arguments),
        outputSchema: z.fromJSONSchema(spec.result),
      }).server(async (args) => call(spec, args)),
    ]),
  )
  const { tool } = createCodeMode({ driver: createNodeIsolateDriver(), tools: [...tools.values()] })
  return {
    async run(typescriptCode) {
      const { success, result, error } = await tool.execute({ typescriptCode })
      return success ? { ok: true, value: result } : { ok: false, message: `${error?.name}: ${error?.message}` }
    },
    // Validates arguments and result, as for the calls of a program.
    async direct(spec, args) {
      const { inputSchema, outputSchema, execute } = tools.get(toolName(spec.toolset, spec.name))
      return outputSchema.parse(await execute(inputSchema.parse(args)))
    },
  }
}
