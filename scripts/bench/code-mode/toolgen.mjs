import { Runtime, toolsetRegistration } from '@toolgen/runtime'
import { codeMode, quickJsSandbox, typescriptChecker } from '@toolgen/runtime/code-mode'
import { newToolCall, payloadCodec, resultCodec, toolSpec } from '@toolgen/runtime/codegen/v1'

export const name = `toolgen, Node ${process.versions.node.split('.')[0]}`

/** Name of a tool in programs. */
export const pathOf = ({ toolset, name }) => `${toolset}.${name}`

const checker = typescriptChecker()
const sandbox = quickJsSandbox()

/** Prepares programs that call these tools. `call(tool, args)` executes a tool. */
export function prepare(specs, call) {
  const byId = new Map(specs.map((spec) => [`${spec.toolset}.${spec.name}`, spec]))
  const tools = specs.map((each) => {
    const payload = payloadCodec({ schema: each.arguments })
    const result = resultCodec({ schema: each.result })
    const parts = {
      id: `${each.toolset}.${each.name}`,
      title: each.name,
      description: each.description,
      examples: [],
      hash: '',
    }
    const spec = toolSpec(parts, payload, result)
    return { spec, payload, result, call: (args) => newToolCall(spec, payload, args) }
  })
  const toolset = { name: 'bench', namespace: 'default', description: 'Tools.', tools }
  const executor = { execute: async ({ tool, payload }) => call(byId.get(tool.id), await payload()) }
  const bound = new Runtime().registerToolset(toolsetRegistration({ toolset, provider: 'function' }, executor))
  const programs = new Runtime().registerToolset(codeMode(bound, { checker, sandbox }))
  return {
    async run(code) {
      const outcome = await programs.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) })
      return outcome.status === 'completed'
        ? { ok: true, value: JSON.parse(outcome.json).value }
        : { ok: false, message: outcome.hint?.message ?? outcome.status }
    },
    async direct(spec, args) {
      const outcome = await bound.execute({
        tool: `${spec.toolset}_${spec.name}`,
        arguments: JSON.stringify(args),
      })
      return outcome.result.data
    },
  }
}
