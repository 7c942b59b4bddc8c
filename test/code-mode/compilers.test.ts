import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'

const require = createRequire(import.meta.url)
const runtime = dirname(require.resolve('@toolgen/runtime/package.json'))
const root = mkdtempSync(join(realpathSync(tmpdir()), 'toolgen-compilers-'))
afterAll(() => rmSync(root, { recursive: true }))

/** Folders of the installed compilers. The repository has all versions under names of their own. */
const compilers = {
  '5.9': dirname(require.resolve('typescript/package.json')),
  '6.0': dirname(require.resolve('typescript-6/package.json')),
  '7.0': dirname(require.resolve('typescript-7/package.json')),
}

const script = `import { Runtime, tool, toolset } from '@toolgen/runtime'
import { codeMode, missingCodeModePackages, quickJsSandbox, typescriptChecker, useCodeMode } from '@toolgen/runtime/code-mode'
const one = toolset('a', tool({ name: 'b', description: '', parameters: {}, run: () => 1 }))
const failing = [
  () => useCodeMode(),
  () => useCodeMode({ search: true }),
  () => codeMode(new Runtime().registerToolset(one)),
  () => typescriptChecker(),
  () => quickJsSandbox(),
]
if (process.argv[2] === 'missing') {
  for (const create of failing) try { create() } catch ({ message }) { console.log(message) }
  console.log(missingCodeModePackages({ search: true }).join())
  process.exit()
}
const checker = typescriptChecker()
const declarations = 'type Json = string | number\\ndeclare namespace orders { function count(): Promise<number> }'
for (const code of ['return await orders.count()', 'return await orders.counts()']) {
  const checked = await checker.check(declarations, code).catch(({ message }) => message)
  console.log(JSON.stringify(checked.javascript ? true : checked.issues ?? checked))
}
await checker.close()`

/** Returns what the checks of a project print that has these packages in its \`node_modules\`, by name. */
async function printedWith(
  name: string,
  packages: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<string[]> {
  const project = join(root, name)
  const modules = join(project, 'node_modules')
  cpSync(join(runtime, 'dist'), join(modules, '@toolgen/runtime/dist'), { recursive: true })
  cpSync(join(runtime, 'package.json'), join(modules, '@toolgen/runtime/package.json'))
  for (const [name, folder] of Object.entries(packages)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(folder, join(modules, name))
  }
  writeFileSync(join(project, 'check.mjs'), script)
  const { stdout } = await promisify(execFile)(process.execPath, [join(project, 'check.mjs'), ...args])
  return stdout.trim().split('\n')
}

const found = [
  'true',
  `[{"line":1,"message":"Property 'counts' does not exist on type 'typeof orders'. Did you mean 'count'?","signature":"function count(): Promise<number>"}]`,
]

describe('the compiler of a project', () => {
  it.each([
    { name: 'TypeScript 5.9', packages: { typescript: compilers['5.9'] } },
    { name: 'TypeScript 6', packages: { typescript: compilers['6.0'] } },
    {
      name: 'TypeScript 6 next to 7',
      packages: { typescript: compilers['7.0'], '@typescript/typescript6': compilers['6.0'] },
    },
    { name: 'the package for TypeScript 6 alone', packages: { '@typescript/typescript6': compilers['6.0'] } },
  ])('can be $name', async ({ name, packages }) => {
    expect(await printedWith(name, packages)).toEqual(found)
  })

  it.each([
    { name: 'only TypeScript 7', packages: { typescript: compilers['7.0'] } },
    { name: 'no TypeScript', packages: {} },
  ])('is missing in a project with $name, which the creation of code mode says', async ({ name, packages }) => {
    const install = 'are not installed. Run `npm install @typescript/typescript6 quickjs-emscripten'
    expect(await printedWith(name, packages, 'missing')).toEqual([
      `useCodeMode: \`@typescript/typescript6\` and \`quickjs-emscripten\` ${install}\`.`,
      `useCodeMode: \`@typescript/typescript6\`, \`quickjs-emscripten\` and \`minisearch\` ${install} minisearch\`.`,
      `codeMode: \`@typescript/typescript6\` and \`quickjs-emscripten\` ${install}\`.`,
      'typescriptChecker: `@typescript/typescript6` is not installed. Run `npm install @typescript/typescript6`.',
      'quickJsSandbox: `quickjs-emscripten` is not installed. Run `npm install quickjs-emscripten`.',
      '@typescript/typescript6,quickjs-emscripten,minisearch',
    ])
  })
})
