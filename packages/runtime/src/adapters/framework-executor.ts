import type { ExecutorRequest, ToolExecutor } from '../types/executor.js'
import type { StandardCheck } from '../types/json.js'

interface ExecutableTool<Tool> {
  readonly name: string
  readonly tool: Tool
  readonly schema: unknown
}

/** If the design declares no result schema for a tool, the tool can return any value that `JSON.stringify` accepts. */
export function frameworkExecutor<Tool>(
  tools: readonly ExecutableTool<Tool>[],
  run: (tool: Tool, payload: unknown, request: ExecutorRequest) => unknown,
  needsApproval: (tool: Tool, payload: unknown, request: ExecutorRequest) => unknown = () => false,
): ToolExecutor {
  const byName = new Map(tools.map(({ name, tool }) => [name, tool]))
  return Object.freeze<ToolExecutor>({
    tools: Object.fromEntries(tools.map(({ name, schema }) => [name, isStandardCheck(schema) ? schema : undefined])),
    async execute(request) {
      const { id, name, confirmation, result } = request.tool
      const tool = byName.get(name)
      if (tool === undefined) throw new Error(`Cannot run '${id}': the executor has no tool with the name '${name}'.`)
      const payload = await request.payload()
      if (confirmation === undefined && (await needsApproval(tool, payload, request)) === true) {
        throw new Error(`Cannot run '${id}': its tool needs an approval, but the design declares no \`confirmation\`.`)
      }
      const value = await run(tool, payload, request)
      const isAny = typeof result === 'boolean' || Object.keys(result).length === 0
      return isAny ? JSON.parse(JSON.stringify(value) ?? 'null') : value
    },
  })
}

function isStandardCheck(schema: unknown): schema is StandardCheck {
  return typeof Object(schema)['~standard']?.validate === 'function'
}
