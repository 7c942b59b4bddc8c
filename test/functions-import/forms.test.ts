import { describe, expect, it } from 'vitest'
import { importFunctions } from '../../packages/codegen/src/imports/functions.js'
import type { ToolsetImport } from '../../packages/codegen/src/imports/toolset-module.js'
import { recordsOf } from '../corpora/imported.fixture.js'
import { hasData } from '../data.js'

interface Described {
  readonly name: string
  readonly description: string
  readonly parameters: unknown
}

/** A schema with the names of types as Gemini writes them. */
function upperCased(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(upperCased)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'type' && typeof value === 'string' ? value.toUpperCase() : upperCased(value),
    ]),
  )
}

const forms: Readonly<Record<string, (functions: readonly Described[]) => unknown>> = {
  'tools of chat completions': (functions) =>
    functions.map((each) => ({ type: 'function', function: { ...each, strict: false } })),
  'a request to chat completions': (functions) => ({
    model: 'x',
    tools: functions.map((each) => ({ type: 'function', function: each })),
  }),
  'tools of responses': (functions) => ({ tools: functions.map((each) => ({ type: 'function', ...each })) }),
  'the older functions': (functions) => ({ functions }),
  'a bare list': (functions) => functions,
  'tools of Anthropic': (functions) =>
    functions.map(({ parameters, ...rest }) => ({ ...rest, input_schema: parameters })),
  'declarations of Gemini': (functions) => ({
    tools: [{ functionDeclarations: functions.map((each) => ({ ...each, parameters: upperCased(each.parameters) })) }],
  }),
  'declarations of Gemini with JSON Schema': (functions) => [
    {
      function_declarations: functions.map(({ parameters, ...rest }) => ({
        ...rest,
        parametersJsonSchema: parameters,
      })),
    },
  ],
  'tools of MCP and the Vercel AI SDK': (functions) =>
    functions.map(({ parameters, ...rest }) => ({ ...rest, inputSchema: parameters })),
}

function imported(functions: unknown): ToolsetImport {
  return importFunctions('corpus', { text: JSON.stringify(functions), file: 'x.json', shown: '`x.json`' })
}

function moduleOf({ files }: ToolsetImport): string | undefined {
  return files.find(({ path }) => path.endsWith('.ts'))?.text
}

/** Whether defaults and allowed values fit their types: where not, JSON Schema counts by the letter, and Gemini's is repaired. */
function isConsistent(described: Described): boolean {
  const { diagnostics } = imported({ ...described, parameters: upperCased(described.parameters) })
  return diagnostics.every(({ severity }) => severity === 'note')
}

describe.skipIf(!hasData)('functions of real catalogues (needs the data folder)', () => {
  describe.each([
    ['Seal-Tools', 'sealtools/tools.jsonl', 4],
    ['BFCL', 'bfcl/functions.jsonl', 4],
  ])('%s', (_, file, every) => {
    const functions = recordsOf<Described>(file)
      .filter((_each, index) => index % every === 0)
      .map(({ name, description, parameters }) => ({ name, description, parameters }))
      .filter(isConsistent)
    const text = functions.map((each) => JSON.stringify(each)).join('\r\n')
    const expected = moduleOf(importFunctions('corpus', { text, file: 'x.jsonl', shown: '`x.jsonl`' }))

    it.each(Object.entries(forms))('give the same toolset as %s and as JSON lines', (_form, formed) => {
      expect(functions.length).toBeGreaterThan(300)
      expect(moduleOf(imported(formed(functions)))).toBe(expected)
    })
  })
})
