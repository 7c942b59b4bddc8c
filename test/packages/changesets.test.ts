import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const copy = mkdtempSync(join(tmpdir(), 'toolgen-changesets-'))
const names = ['dsl', 'runtime', 'codegen', 'studio', 'create-toolgen']

afterAll(() => rmSync(copy, { recursive: true, force: true }))

it('a changeset of one package raises all of them to one version, and nothing else', () => {
  for (const file of ['package.json', 'pnpm-workspace.yaml', '.changeset/config.json', 'test/package.json']) {
    cpSync(join(root, file), join(copy, file))
  }
  for (const name of names)
    cpSync(join(root, `packages/${name}/package.json`), join(copy, `packages/${name}/package.json`))
  // Its changelogs are written by a package that it looks for in the project.
  mkdirSync(join(copy, 'node_modules/@changesets'), { recursive: true })
  symlinkSync(join(root, 'node_modules/@changesets/cli'), join(copy, 'node_modules/@changesets/cli'))
  writeFileSync(join(copy, '.changeset/one.md'), '---\n"@toolgen/dsl": minor\n---\n\nA new word.\n')
  execFileSync('git', ['init', '--quiet', '--initial-branch=main'], { cwd: copy })
  execFileSync(process.execPath, [join(root, 'node_modules/@changesets/cli/bin.js'), 'version'], { cwd: copy })

  const before = versionOf(root, 'packages/dsl')
  const raised = names.map((name) => versionOf(copy, `packages/${name}`))
  expect(raised).toEqual(names.map(() => before.replace(/^(\d+)\.(\d+)\..*$/, (_, a, b) => `${a}.${Number(b) + 1}.0`)))
  expect(readFileSync(join(copy, 'packages/dsl/CHANGELOG.md'), 'utf8')).toContain('A new word.')
  expect(readFileSync(join(copy, 'test/package.json'), 'utf8')).toBe(
    readFileSync(join(root, 'test/package.json'), 'utf8'),
  )
})

function versionOf(folder: string, path: string): string {
  return JSON.parse(readFileSync(join(folder, path, 'package.json'), 'utf8')).version
}
