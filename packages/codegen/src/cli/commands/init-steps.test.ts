import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ownVersion } from '../format.js'
import { type NewProject, neededBy, nextSteps, originOf, readManifest } from './init.js'
import { projectFiles, projectNames } from './init-files.js'

const names = projectNames({ toolset: 'orders', agent: 'support', designFolder: 'design', outputFolder: 'gen' })
const needed = neededBy(projectFiles({ kind: 'service' }, names, '^0.1.0'))

let root = ''
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'toolgen steps ')))
  mkdirSync(join(root, 'installed'))
  for (const name of ['runtime', 'codegen', 'dsl', 'studio']) install(`@toolgen/${name}`)
  for (const name of ['@types/node', 'typescript', 'zod']) install(name)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

function install(name: string): void {
  const folder = join(root, 'installed/node_modules', name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{}')
}

function pack(folder: string, names: readonly string[]): void {
  mkdirSync(join(root, folder), { recursive: true })
  for (const name of names) writeFileSync(join(root, folder, `toolgen-${name}-${ownVersion()}.tgz`), '')
}

/** Returns the notes, and the command without its first part, which enters the folder. */
function stepsOf(folder: string, given: Partial<NewProject> = {}): { command: string; notes: readonly string[] } {
  const { command, notes } = nextSteps({
    root: join(root, folder),
    kept: [],
    needed,
    pnpm: undefined,
    origin: { kind: 'registry' },
    manifest: undefined,
    ...given,
  })
  const [enter, ...rest] = command.split(' && ')
  expect(enter).toMatch(/^cd '.*toolgen steps /)
  return { command: rest.join(' && '), notes }
}

describe('what comes after toolgen init', () => {
  it('is an installation of what the new manifest names, unless it is there', () => {
    expect(stepsOf('new')).toEqual({ command: 'npm install && npm start', notes: [] })
    expect(stepsOf('installed').command).toBe('npm start')
    expect(stepsOf('installed/below').command).toBe('npm start')
  })

  it('adds to a manifest that was kept what it lacks, and no more', () => {
    const kept = ['package.json']
    const ranges = { '@toolgen/codegen': '^0.1.0', '@toolgen/dsl': '^0.1.0', '@types/node': '*', typescript: '5' }
    expect(stepsOf('new', { kept, manifest: { isModule: true, ranges } }).command).toBe(
      'npm install @toolgen/runtime@0.1 && npm install --save-dev @toolgen/studio@0.1 zod@4 && ' +
        'npx toolgen generate && npx tsc && node dist/src/main.js',
    )
    const all = { ...ranges, zod: '4', '@toolgen/runtime': '^0.1.0', '@toolgen/studio': '^0.1.0' }
    const manifest = { isModule: true, ranges: all }
    const compiled = (tsconfig: string): string => {
      writeFileSync(join(root, 'installed/tsconfig.json'), tsconfig)
      return stepsOf('installed', { kept: [...kept, 'tsconfig.json'], manifest }).command
    }
    expect(compiled('{}')).toBe('npx toolgen generate && npx tsc && node src/main.js')
    expect(compiled('{ "compilerOptions": { "outDir": "./build/" } }')).toMatch(
      / && npx tsc && node build\/src\/main\.js$/,
    )
    expect(compiled('{ "compilerOptions": { "noEmit": true } }')).toBe('npx toolgen generate && npx tsc')
    expect(compiled('{ "extends": "./base.json" }')).toBe('npx toolgen generate && npx tsc')
    rmSync(join(root, 'installed/tsconfig.json'))
  })

  it('imports the tools before the program starts', () => {
    const imported = neededBy(projectFiles({ kind: 'mcp', own: ['npx', '-y', 'a server'] }, names, '^0.1.0'))
    expect(stepsOf('new', { needed: imported }).command).toBe('npm install && npm run import && npm start')
    const { command } = stepsOf('new', {
      needed: imported,
      kept: ['package.json'],
      manifest: { isModule: true, ranges: {} },
    })
    expect(command).toContain(" && npx toolgen import mcp orders -- npx -y 'a server' && npx toolgen generate && ")
  })

  it('makes a package of the older kind one of modules', () => {
    const manifest = { isModule: false, ranges: {} }
    const { command, notes } = stepsOf('new', { kept: ['package.json'], manifest })
    expect(command).toMatch(/^npm pkg set type=module && npm install /)
    expect(notes).toEqual([expect.stringContaining('choose a --dir with its own package')])
  })

  it('uses no registry for packages that run from sources, but prints how to pack them', () => {
    const { command, notes } = stepsOf('new', { origin: { kind: 'sources', folder: join(root, 'a clone') } })
    expect(command).toBe('npm install ../packed/tarballs/toolgen-*.tgz && npm start')
    expect(notes[0]).toMatch(
      /^`.*\/packed\/tarballs\/toolgen-codegen-[\w.-]+\.tgz` does not exist, and the packages are not in a registry yet\. Pack them first, in the clone of toolgen:$/,
    )
    expect(notes[1]).toMatch(/^ {2}\(cd '.*a clone' && npm run packages -- --only pack --keep \.\.\/packed\)$/)
    const origin = { kind: 'sources', folder: join(root, 'a clone') } as const
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(origin.folder)
    const project = { root: join(root, 'new'), kept: [], needed, pnpm: undefined, manifest: undefined, origin }
    const here = nextSteps(project).notes[1]
    cwd.mockRestore()
    expect(here).toBe('  npm run packages -- --only pack --keep ../packed')
    expect(stepsOf('installed', { origin: { kind: 'sources', folder: root } }).command).toBe('npm start')
    pack('packed/tarballs', ['codegen'])
    expect(stepsOf('new', { origin: { kind: 'sources', folder: join(root, 'a clone') } })).toEqual({
      command: 'npm install ../packed/tarballs/toolgen-*.tgz && npm start',
      notes: [],
    })
  })

  it('asks no registry for the rest of a package that came as a file', () => {
    const manifest = { isModule: true, ranges: { '@toolgen/codegen': 'https://example.com/codegen.tgz' } }
    const origin = { kind: 'file', named: 'https://example.com/codegen.tgz', tarball: undefined } as const
    const { command, notes } = stepsOf('new', { kept: ['package.json'], manifest, origin })
    expect(notes).toEqual([
      'Install @toolgen/runtime and @toolgen/codegen and @toolgen/dsl and @toolgen/studio from package files. The files are in the folder of https://example.com/codegen.tgz.',
    ])
    expect(command).toBe(
      'npm install --save-dev @types/node@20 typescript@5 zod@4 && npx toolgen generate && npx tsc && node dist/src/main.js',
    )
  })

  it('takes the tarballs beside the one from which the generator of another project was installed', () => {
    pack('tarballs', ['codegen', 'dsl', 'runtime', 'studio'])
    mkdirSync(join(root, 'other'), { recursive: true })
    const devDependencies = { '@toolgen/codegen': `file:../tarballs/toolgen-codegen-${ownVersion()}.tgz` }
    writeFileSync(join(root, 'other/package.json'), JSON.stringify({ devDependencies }))
    const origin = originOf(join(root, 'other/node_modules/@toolgen/codegen'), join(root, 'new'))
    const paths = ['runtime', 'codegen', 'dsl', 'studio'].map(
      (name) => `../tarballs/toolgen-${name}-${ownVersion()}.tgz`,
    )
    expect(stepsOf('new', { origin })).toEqual({ command: `npm install ${paths.join(' ')} && npm start`, notes: [] })
  })
})

it('a generator in node_modules came from a registry, unless a manifest says otherwise', () => {
  expect(originOf('/p/node_modules/@toolgen/codegen', '/p')).toEqual({ kind: 'registry' })
  expect(originOf('/clone/packages/codegen', '/p')).toEqual({ kind: 'sources', folder: '/clone' })
})

it('a package.json that is no JSON says nothing', () => {
  writeFileSync(join(root, 'package.json'), '{')
  expect(readManifest(root)).toBeUndefined()
})
