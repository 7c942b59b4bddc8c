import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'

const source = `import type { RunSuspension } from '../agents.js'
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

/** What the checker says of the source, as one text for each line. */
function messages(): readonly string[] {
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
  const found = messages()
  expect(found.map((text) => /OptionsRequired<(.*?)>/.exec(text)?.[1])).toEqual([
    '"env.approval"',
    '"env.approval"',
    '"env.approval"',
    '"env.approval"',
    '"env.approval"',
    '"sessionId" | "labels.tenant"',
    '"sessionId" | "labels.tenant"',
    '"env.approval"',
    '"env.approval"',
  ])
  expect(found[1]).toContain("Property 'env' is missing")
  expect(found[6]).toContain("Property 'labels' is missing")
  expect(found.join('\n')).not.toMatch(/'this' context|exactOptionalPropertyTypes/)
})
