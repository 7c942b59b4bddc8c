import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ts } from 'ts-morph'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { libraryTexts } from '../load/tsconfig.js'
import { projectWith } from './bound-design.fixture.js'
import { openProject, withoutComments } from './program.js'

const declaration = 'node_modules/units/index.d.ts'
let root = ''

beforeAll(() => {
  root = projectWith({
    'package.json': '{ "type": "module" }',
    'client.ts': `import type { Unit } from 'units'\nexport type Client = { when: Date; unit: Unit }\n`,
  })
  write('node_modules/units/package.json', '{ "name": "units", "types": "index.d.ts" }')
  write(declaration, 'export type Unit = "m"\n')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** Opens the project and returns the types of both properties, and the files that declare them. */
function opened(): { readonly unit: string; readonly files: readonly (ts.SourceFile | undefined)[] } {
  const project = openProject({ root, modules: ['client.ts'] })
  if ('error' in project) throw new Error(project.error.message)
  const { reader, moduleFile, generatedType } = project.program(`import type { Client } from './client.js'
export type When = Client['when']
export type Of = Client['unit']
`)
  const [when, unit] = ['When', 'Of'].map((name) => generatedType(name)) as [ts.Type, ts.Type]
  const fileOf = ({ symbol, aliasSymbol }: ts.Type) => (symbol ?? aliasSymbol)?.declarations?.[0]?.getSourceFile()
  return { unit: reader.checker.typeToString(unit), files: [fileOf(when), moduleFile('client.ts')] }
}

test('programs share the parsed declarations of the compiler, but no file of the project', () => {
  const [one, other] = [opened(), opened()]
  expect(one.files[0]?.fileName).toMatch(/lib\.es5\.d\.ts$/)
  expect(other.files[0]).toBe(one.files[0])
  expect(one.files[1]?.fileName).toBe(join(root, 'client.ts'))
  expect(other.files[1]).not.toBe(one.files[1])
})

test('a changed declaration of an installed package is read again', () => {
  expect(opened().unit).toBe('"m"')
  write(declaration, 'export type Unit = "km"\n')
  expect(opened().unit).toBe('"km"')
})

test('the syntax of all libraries stays the same without comments', () => {
  const libraries = libraryTexts()
  expect(libraries.size).toBeGreaterThan(100)
  for (const [name, text] of libraries)
    expect(syntaxOf(withoutComments(text) ?? '') === syntaxOf(text), name).toBe(true)
})

/** Returns all nodes of a module, with the texts of names and literals, and its references to other libraries. */
function syntaxOf(text: string): string {
  const nodes: unknown[] = []
  const visit = (node: ts.Node): void => {
    nodes.push([node.kind, 'text' in node ? node.text : ''])
    ts.forEachChild(node, visit)
  }
  const { statements, libReferenceDirectives } = ts.createSourceFile('lib.d.ts', text, ts.ScriptTarget.Latest)
  statements.forEach(visit)
  return JSON.stringify([nodes, libReferenceDirectives.map(({ fileName }) => fileName)])
}
