import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'

const source = `import { defineAgent, defineTool, defineToolset, fromService, serviceClient } from './index.js'
const getOrder = defineTool({ description: 'x', payload: { type: 'object' }, result: true })
const orders = defineToolset('orders', { description: 'x', tools: { getOrder } })
const client = serviceClient<{ fetchOrder(): void }>()
fromService(orders, client)
defineAgent('support', { description: 'x', uses: [orders] })
`

/** Returns the messages of the TypeScript compiler about the source. */
function messages(): readonly string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    types: [],
  }
  const file = fileURLToPath(new URL('checked-source.ts', import.meta.url))
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (path, ...rest) =>
    path === file ? ts.createSourceFile(path, source, ts.ScriptTarget.ES2022) : getSourceFile(path, ...rest)
  const program = ts.createProgram([file], options, host)
  return program
    .getSemanticDiagnostics(program.getSourceFile(file))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

it('the checker speaks of what is to be written, not of optional properties or another provider', () => {
  const [method, provider, ...others] = messages()
  expect(others).toEqual([])
  expect(method).toContain('MethodNotFound<"getOrder">')
  expect(method).not.toContain('exactOptionalPropertyTypes')
  expect(provider).toContain("required in type 'ProviderRequired'")
  expect(provider).not.toMatch(/\n.*(?:Mcp|Service|Agent|OpenApi)ToolsetUse/)
})
