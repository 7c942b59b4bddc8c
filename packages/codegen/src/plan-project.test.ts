import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { type ProjectPlan, planProject } from './plan-output.js'
import type { ProjectMemory } from './project.js'

const repository = fileURLToPath(new URL('../../..', import.meta.url))
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Returns a copy of a project inside that project, where its packages are found. */
function copyOf(path: string): string {
  const from = join(repository, path)
  const folder = mkdtempSync(join(from, '.out-warm-'))
  folders.push(folder)
  for (const name of ['design', 'src', 'package.json', 'tsconfig.json', 'toolgen.config.ts']) {
    if (existsSync(join(from, name))) cpSync(join(from, name), join(folder, name), { recursive: true })
  }
  const options = join(folder, 'tsconfig.json')
  if (existsSync(options)) writeFileSync(options, readFileSync(options, 'utf8').replaceAll('"../', '"../../'))
  return folder
}

/** Typical edits of a design. Each edit returns the new text of a module; the same text if it does not apply. */
const edits: readonly ((text: string) => string)[] = [
  (text) => text.replace(/description: '/, (found) => `${found}Also: `),
  (text) =>
    text.replace(/description: '([^']*)'(?![\s\S]*description: ')/, (_, said) => `description: '${said} Then more.'`),
  (text) => text.replace(/\.describe\('/, (found) => `${found}The `),
  (text) => text.replace(/z\.string\(\)(?!\.)/, 'z.string().max(99)'),
  (text) => text.replace(/z\.number\(\)/, 'z.number().int()'),
  (text) => text.replace(/z\.object\(\{/, `z.object({\n  added: z.string().optional(),`),
  (text) => text.replace(/\n( +)(\w+): defineTool\(/, '\n$1$2Again: defineTool('),
  (text) => text.replace(/': string|: string\b/, ': number'),
  (text) => `\n\n${text}`,
  (text) => text.replace(/\bas: '/, (found) => `${found}other_`),
  (text) => text.replace(/(rename: \{ \w+: ')/, '$1other_'),
  (text) => text.replace(/only: \['(\w+)', /, "only: ['"),
  (text) => text.replace(/defineToolset\('/, (found) => `${found}other_`),
  (text) => text.replace(/"description": "/, (found) => `${found}Also: `),
  (text) => text.replace(/(?<="description": "[^"]*)"(?![\s\S]*"description": ")/, ' Then more."'),
  (text) => text.replace(/defineToolset\(/, 'defineToolset(('),
  (text) => text.replace(/from '\.\//, `from './no-such-`),
  (text) => `let counter = 0\ncounter += 1\n${text}`,
]

/** Returns the diagnostics of a run, and the files that it would write. */
async function planned(cwd: string, memory?: ProjectMemory): Promise<Pick<ProjectPlan, 'diagnostics' | 'planned'>> {
  const { diagnostics, planned } = await planProject({ cwd }, memory === undefined ? {} : { memory })
  return { diagnostics, ...(planned !== undefined && { planned }) }
}

describe('a run with the memory of earlier runs gives what a run without any gives', () => {
  it.each([...['hostile', 'agents', 'mcp', 'openapi'].map((name) => `test/goldens/${name}`), 'examples/orders'])(
    'after edits of %s',
    async (path) => {
      const cwd = copyOf(path)
      const modules = ['design', 'src'].flatMap((folder) =>
        existsSync(join(cwd, folder)) ? readdirSync(join(cwd, folder)).map((name) => join(cwd, folder, name)) : [],
      )
      const originals = new Map(
        modules.filter((file) => /\.(?:ts|json)$/.test(file)).map((file) => [file, readFileSync(file, 'utf8')]),
      )
      const memory = {}
      const step = fc.record({
        file: fc.constantFrom(...originals.keys()),
        // Sometimes nothing changes.
        edit: fc.option(fc.constantFrom(...edits), { freq: 3 }),
      })
      const steps = fc.array(step, { minLength: 5, maxLength: 5 })
      await fc.assert(
        fc.asyncProperty(steps, async (made) => {
          for (const [index, { file, edit }] of made.entries()) {
            if (edit === null) for (const [original, text] of originals) writeFileSync(original, text)
            else writeFileSync(file, edit(originals.get(file) ?? ''))
            const found = await planned(cwd, memory)
            // A run without memory takes seconds.
            if (index === made.length - 1) expect(found).toEqual(await planned(cwd))
          }
        }),
        { numRuns: 1, endOnFailure: true },
      )
    },
  )
})

it('the memory of twenty runs is not larger than that of five', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const cwd = copyOf('test/goldens/nested')
  const [file = ''] = readdirSync(join(cwd, 'design')).map((name) => join(cwd, 'design', name))
  const text = readFileSync(file, 'utf8')
  const memory = {}
  const heapAfterRuns = async (from: number, to: number): Promise<number> => {
    for (let number = from; number <= to; number += 1) {
      writeFileSync(
        file,
        text.replace(/description: '/, (found) => `${found}${number} `),
      )
      expect((await planned(cwd, memory)).planned).toBeDefined()
    }
    collect()
    return process.memoryUsage().heapUsed
  }
  const after5 = await heapAfterRuns(1, 5)
  const after20 = await heapAfterRuns(6, 20)
  expect((after20 - after5) / 2 ** 20).toBeLessThan(8)
})
