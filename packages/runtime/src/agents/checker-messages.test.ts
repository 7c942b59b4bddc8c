import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'

const incomplete = `import type { RunSuspension } from '../agents.js'
import type { BoundAgent, HasApproval, ToolCall } from '../index.js'
import type { Session } from '../sessions.js'
declare const agent: BoundAgent<HasApproval>
declare const free: BoundAgent
declare const session: Session<HasApproval>
declare const suspension: RunSuspension
declare const call: ToolCall<{ id: string }>
declare const labelled: ToolCall<{ id: string }, 'sessionId' | 'labels.tenant'>
void agent.run('Where is my order?')
void agent.run('Where is my order?', { sessionId: 's-1' })
void agent.resume(suspension, {})
void agent.execute(call)
void agent.execute(call, { sessionId: 's-1' })
void free.execute(labelled)
void free.execute(labelled, { sessionId: 's-1' })
void session.execute(call)
void session.run(agent, 'Where is my order?')
`

/** Calls that are wrong themselves. The first five need no options. */
const wrong = `import type { BoundAgent, HasApproval } from '../index.js'
import type { Session } from '../sessions.js'
declare const free: BoundAgent
declare const agent: BoundAgent<HasApproval>
declare const session: Session<HasApproval>
declare const env: HasApproval
void free.execute({ tool: 'orders_findItems', arguments: { max_price: 20 } })
void free.execute({ tool: 'orders_findItems', args: '{}' })
void free.execute({ name: 'orders_findItems', arguments: '{}' })
void free.execute('orders_findItems', {})
void free.execute({ tool: 'orders_findItems', arguments: { max_price: 20 } }, {})
void agent.execute({ tool: 'orders_findItems', arguments: { max_price: 20 } })
void agent.execute({ tool: 'orders_findItems', args: '{}' }, { env })
void session.execute({ tool: 'orders_findItems', arguments: { max_price: 20 } })
void agent.run(12, { env })
`

/** Returns the errors of the type checker for a source, one string per error. */
function messages(source: string): readonly string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    types: ['node'],
  }
  const file = fileURLToPath(new URL('../execute/checked-source.ts', import.meta.url))
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (path, ...rest) =>
    path === file ? ts.createSourceFile(path, source, ts.ScriptTarget.ES2022) : getSourceFile(path, ...rest)
  const program = ts.createProgram([file], options, host)
  return program
    .getSemanticDiagnostics(program.getSourceFile(file))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

it('defect 16h: the compiler names the missing options of a call or a run, not the context of `this`', () => {
  const found = messages(incomplete)
  expect(found.map((text) => /OptionsRequired<(.*?)>/.exec(text)?.[1])).toEqual([
    '"env.approval"',
    undefined,
    '"env.approval"',
    '"env.approval"',
    undefined,
    '"sessionId" | "labels.tenant"',
    undefined,
    '"env.approval"',
    '"env.approval"',
  ])
  expect(found[3]).toContain("Property ''pass these options'' is missing in type")
  expect(found[1]).toContain("Property 'env' is missing in type '{ sessionId: string; }'")
  expect(found[4]).toContain("Property 'env' is missing in type '{ sessionId: string; }'")
  expect(found[6]).toContain("Property 'labels' is missing in type '{ sessionId: string; }'")
  expect(found.join('\n')).not.toMatch(/'this' context|exactOptionalPropertyTypes|overload/)
})

it('names the wrong property of a call that no builder created, not options', () => {
  const isObject = "Type '{ max_price: number; }' is not assignable to type 'string'."
  const unknown = (name: string) =>
    `Object literal may only specify known properties, and '${name}' does not exist in type 'ToolCall<unknown, any, TypedFailure>'.`
  expect(messages(wrong)).toEqual([
    isObject,
    unknown('args'),
    unknown('name'),
    "Argument of type 'string' is not assignable to parameter of type 'ToolCall<unknown, any, TypedFailure>'.",
    isObject,
    isObject,
    unknown('args'),
    isObject,
    "Argument of type 'number' is not assignable to parameter of type 'RunInput'.",
  ])
})
