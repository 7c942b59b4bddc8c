import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generate } from '@toolgen/codegen'
import { Runtime } from '@toolgen/runtime'
import { openApiExecutor, type ToolsetApi } from '@toolgen/runtime/openapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importOpenApi } from '../../packages/codegen/src/imports/openapi.js'
import type { ToolsetImport } from '../../packages/codegen/src/imports/toolset-module.js'
import { toolsetRegistration } from '../../packages/runtime/src/layers/registration.js'
import { exampleOf } from '../../packages/runtime/src/schema/examples.js'

import { hasData } from '../data.js'
import { documents, parsedDocument, sourceOf } from './documents.fixture.js'
import { validatingServer } from './validating-server.fixture.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
// Inside the workspace, so that its packages resolve as they do for a user who installed them.
const project = hasData ? mkdtempSync(join(root, 'test/.out-openapi-import-')) : ''
const settings: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "module" }',
  'toolgen.config.ts': `import { defineConfig } from '@toolgen/codegen'
export default defineConfig({ design: 'design/*.ts' })`,
  // Of a design nobody imports declarations, so that both can be checked at once.
  'tsconfig.json': JSON.stringify({
    extends: '../generated-code/strictest.json',
    compilerOptions: { skipLibCheck: true, isolatedDeclarations: false, declaration: false },
    include: ['gen', 'design'],
  }),
}

describe.skipIf(!hasData)('OpenAPI documents of others (needs the data folder)', () => {
  const imports = new Map<string, ToolsetImport>()

  beforeAll(async () => {
    for (const { name, file } of documents) imports.set(name, await importOpenApi(name, sourceOf(file)))
    const files = [...imports.values()].flatMap((one) =>
      one.files.map(({ path, text }) => [`design/${path}`, text] as const),
    )
    const modules = documents.map(({ name }) => {
      const path = imports.get(name)?.files.find(({ isOwn }) => isOwn)?.path ?? ''
      return `import { ${name} } from './${path.replace(/ts$/, 'js')}'`
    })
    const uses = documents.map(({ name }) => `fromOpenApi(${name})`).join(', ')
    const agents = `import { defineAgent, fromOpenApi } from '@toolgen/dsl'
${modules.join('\n')}
export const all = defineAgent('all', { description: 'Has all operations.', uses: [${uses}] })`
    for (const [path, text] of [...files, ...Object.entries({ ...settings, 'design/agents.ts': agents })]) {
      mkdirSync(dirname(join(project, path)), { recursive: true })
      writeFileSync(join(project, path), text)
    }
  })

  afterAll(() => rmSync(project, { recursive: true, force: true }))

  it.each(documents)(
    '$name: every operation is imported, but for those whose arguments no value fits',
    ({ name, operations, lost = 0 }) => {
      const imported = imports.get(name)
      expect(imported?.tools).toBe(operations - lost)
      const told = imported?.diagnostics ?? []
      expect(told.filter(({ severity }) => severity === 'error')).toEqual([])
      expect(told.filter(({ code }) => code === 'TG6003' || code === 'TG6202')).toHaveLength(lost)
    },
  )

  it('are imported to the same bytes again, without changes', async () => {
    for (const { name, file } of documents) {
      const files = imports.get(name)?.files ?? []
      const again = await importOpenApi(name, sourceOf(file), { earlier: files[0]?.text ?? '' })
      expect(again.files).toEqual(files)
      expect(again.changes).toEqual([])
    }
  })

  it('are generated together, and type-check under the strictest flags, as do their designs', async () => {
    const { ok, diagnostics } = await generate({ cwd: project, cache: false })
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(ok).toBe(true)
    const compiler = join(root, 'node_modules/typescript-7/bin/tsc')
    const checked = spawnSync(process.execPath, [compiler, '-p', '.'], { cwd: project, encoding: 'utf8' })
    expect([checked.status, checked.stdout]).toEqual([0, ''])
  })

  // Every tool is called with all its fields; the server reads the request by the document, and by nothing of ours.
  it.each(documents)(
    '$name: requests are what the document wants, and its answers are results',
    async ({ name, file }) => {
      const path = imports.get(name)?.files.find(({ isOwn }) => isOwn)?.path ?? ''
      const folder = path.replace('.openapi.ts', '')
      const generated = await import(join(project, `gen/toolsets/${folder}/openapi.ts`))
      const api: ToolsetApi = generated[`${name}Api`]
      const document = parsedDocument(file)
      const server = await validatingServer(document)
      const auth = Object.fromEntries(
        Object.entries(api.security ?? {}).map(([scheme, { type }]) => [
          scheme,
          type === 'basic' ? { username: 'me', password: 'secret' } : 'secret',
        ]),
      )
      const executor = openApiExecutor(api, { baseUrl: server.url, auth })
      const tools = new Runtime().registerToolset(
        toolsetRegistration({ toolset: api.toolset, provider: 'service' }, executor),
      )
      const templates = Object.keys(document.paths)
      const wrong: string[] = []
      let called = 0
      try {
        for (const { spec, call } of api.toolset.tools) {
          const operation = api.operations[spec.name]
          const args: any = argumentsOf(spec.arguments)
          const result: any = exampleOf(spec.result)
          if (operation === undefined || args === undefined || result === undefined) continue
          const method = operation.method.toLowerCase()
          const template = templates.find(
            (each) => isOf(each, operation.path) && isNamed(document.paths[each][method], spec.toolName, name),
          )
          server.expect({ method, path: template ?? operation.path }, result)
          const made: any = call
          const outcome: any = await tools.execute(made(args))
          const read = server.read()
          called += 1
          if (outcome.status !== 'completed')
            wrong.push(`${spec.name}: ${outcome.error?.reason} ${outcome.hint?.message ?? ''}`)
          wrong.push(...(read?.faults ?? ['no request']).map((fault) => `${spec.name}: ${fault}`))
          for (const { field, name: named = field, in: location } of operation.parameters ?? []) {
            const sent = read?.parameters[`${location} ${named}`]
            if (JSON.stringify(sent) !== JSON.stringify(args[field])) {
              wrong.push(
                `${spec.name}: ${named} is ${JSON.stringify(args[field])}, and ${JSON.stringify(sent)} was read`,
              )
            }
          }
          if (operation.body?.as === 'json') {
            const { field, fields = [], names = {} } = operation.body
            const body =
              field === undefined
                ? Object.fromEntries(fields.map((each) => [names[each] ?? each, args[each]]))
                : args[field]
            // Defaults are filled in on the way.
            expect(read?.body).toMatchObject(JSON.parse(JSON.stringify(body)))
          }
        }
      } finally {
        await server.close()
      }
      expect(wrong).toEqual([])
      expect(called).toBeGreaterThan(0)
    },
  )
})

/** Arguments with every field of the payload; those of a tool for which none are found have its required ones alone. */
function argumentsOf(schema: any): unknown {
  return exampleOf(demanding(schema)) ?? exampleOf(schema)
}

/** A schema whose values leave nothing out that it names: lists and objects without parts are not sent. */
function demanding(schema: any): any {
  if (typeof schema !== 'object') return schema
  const { properties, items, minItems = 0 } = schema
  if (items !== undefined) return { ...schema, items: demanding(items), minItems: Math.max(minItems, 1) }
  if (properties === undefined) return schema
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, demanding(field)]))
  return { ...schema, properties: fields, required: Object.keys(fields) }
}

/** Operations of one path are told apart by what follows `#`. */
function isOf(template: string, path: string): boolean {
  return template === path || template.startsWith(`${path}#`)
}

function isNamed(operation: any, toolName: string, toolset: string): boolean {
  if (operation === undefined) return false
  const { operationId } = operation
  return (
    operationId === undefined ||
    `${toolset}_${operationId.replace(/[^a-zA-Z0-9_-]+/g, '_')}`.startsWith(toolName.slice(0, 57))
  )
}
