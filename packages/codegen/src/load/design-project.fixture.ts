import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Source code of the package `@toolgen/dsl` in test projects. The tests therefore do not need the built package. */
const words = `
const made = (kind, value) => Object.freeze({ '~toolgen': kind, ...value })
export const defineTool = (definition) => made('tool', definition)
export const defineToolset = (name, definition) => made('toolset', { name, namespace: 'default', ...definition })
export const defineAgent = (name, definition) => made('agent', { name, uses: [], exports: [], ...definition })
export const serviceClient = () => made('client', {})
export const fromService = (toolset, client, options) => made('use', { provider: 'service', toolset, client, ...options })
export const fromAgent = (toolset, options) => made('use', { provider: 'agent', toolset, ...options })
export const fromMcp = (toolset, options) => made('use', { provider: 'mcp', toolset, ...options })
export const exportToolset = (toolset, options) => made('export', { toolset, tools: {}, ...options })
`

export interface DesignProject {
  readonly root: string
  write(files: Readonly<Record<string, string>>): void
  remove(): void
}

export function designProject(files: Readonly<Record<string, string>> = {}): DesignProject {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolgen-design-')))
  const project: DesignProject = {
    root,
    write(more) {
      for (const [path, text] of Object.entries(more)) {
        mkdirSync(dirname(join(root, path)), { recursive: true })
        writeFileSync(join(root, path), text)
      }
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
  project.write({
    'package.json': '{ "type": "module" }',
    'node_modules/@toolgen/dsl/package.json': '{ "name": "@toolgen/dsl", "type": "module", "exports": "./index.js" }',
    'node_modules/@toolgen/dsl/index.js': words,
    ...files,
  })
  symlinkSync(dirname(createRequire(import.meta.url).resolve('zod/package.json')), join(root, 'node_modules/zod'))
  return project
}
