import { afterEach, describe, expect, it } from 'vitest'
import { loadConfig } from './config.js'
import { type DesignProject, designProject } from './design-project.fixture.js'

const projects: DesignProject[] = []

afterEach(() => {
  for (const project of projects.splice(0)) project.remove()
})

function project(files: Readonly<Record<string, string>>): DesignProject {
  const made = designProject({ 'design/a.ts': '', 'design/b.ts': '', ...files })
  projects.push(made)
  return made
}

async function load(config: string, files: Readonly<Record<string, string>> = {}) {
  return loadConfig({ cwd: project({ 'toolgen.config.ts': config, ...files }).root })
}

describe('a configuration', () => {
  it('gets its defaults', async () => {
    const { root } = project({ 'toolgen.config.ts': "export default { design: 'design/*.ts' }" })
    const { value, diagnostics } = await loadConfig({ cwd: root })
    expect(diagnostics).toEqual([])
    expect(value).toMatchObject({
      root,
      file: 'toolgen.config.ts',
      closure: ['toolgen.config.ts'],
      design: ['design/a.ts', 'design/b.ts'],
      output: 'gen',
      importExtension: '.js',
      codecs: 'ts',
      declarations: true,
      searchIndex: false,
      importMap: {},
    })
  })

  it('takes the nearest tsconfig, and what it states', async () => {
    const stated = `export default {
  design: ['./design/b.ts', 'design/a.ts', 'design/a.ts'],
  output: './src/gen/',
  importExtension: '',
  codecs: 'js',
  importMap: { './design/a.ts': '@acme/a' },
}`
    const { value } = await load(stated, { 'tsconfig.json': '{}' })
    expect(value).toMatchObject({
      design: ['design/a.ts', 'design/b.ts'],
      output: 'src/gen',
      importExtension: '',
      codecs: 'js',
      tsconfig: 'tsconfig.json',
      importMap: { 'design/a.ts': '@acme/a' },
    })
  })

  it('says of an object whose values are wrong that those are', async () => {
    const { diagnostics } = await load("export default { design: 'design/*.ts', importMap: { 'design/a.ts': 1 } }")
    expect(diagnostics.map(({ message }) => message)).toEqual([
      '`importMap` must be an object with module paths as keys and specifiers as values, but it is an object with other values.',
    ])
  })

  it('may write paths with either slash', async () => {
    const stated = String.raw`export default {
  design: 'design\\*.ts', output: 'src\\gen', tsconfig: 'design\\tsconfig.json', importMap: { 'design\\a.ts': '@acme/a' },
}`
    expect((await load(stated, { 'design/tsconfig.json': '{}' })).value).toMatchObject({
      design: ['design/a.ts', 'design/b.ts'],
      output: 'src/gen',
      tsconfig: 'design/tsconfig.json',
      importMap: { 'design/a.ts': '@acme/a' },
    })
  })

  it('may be JavaScript, and may be named', async () => {
    const { root } = project({
      'toolgen.config.mjs': "export default { design: 'design/a.ts' }",
      'other/my.ts': "export default { design: '../design/b.ts' }",
    })
    expect((await loadConfig({ cwd: root })).value?.design).toEqual(['design/a.ts'])
    expect((await loadConfig({ cwd: root, path: 'other/my.ts' })).value?.design).toEqual(['../design/b.ts'])
  })

  it('sees edits within one process', async () => {
    const made = project({ 'toolgen.config.ts': "export default { design: 'design/a.ts' }" })
    await loadConfig({ cwd: made.root })
    made.write({ 'toolgen.config.ts': "export default { design: 'design/b.ts' }" })
    expect((await loadConfig({ cwd: made.root })).value?.design).toEqual(['design/b.ts'])
  })
})

describe('patterns', () => {
  it('match names and folders, never packages, dot folders, declarations or the output', async () => {
    const files = {
      'x/one.tools.ts': '',
      'x/deep/er/two.tools.ts': '',
      'x/no.ts': '',
      'x/types.d.ts': '',
      'x/node_modules/p/p.tools.ts': '',
      'x/.hidden/h.tools.ts': '',
      'gen/g.tools.ts': '',
    }
    expect((await load("export default { design: '**/*.tools.ts' }", files)).value?.design).toEqual([
      'x/deep/er/two.tools.ts',
      'x/one.tools.ts',
    ])
    expect((await load("export default { design: 'x/*.ts' }", files)).value?.design).toEqual([
      'x/no.ts',
      'x/one.tools.ts',
    ])
  })

  it('take other characters as they are', async () => {
    expect((await load("export default { design: 'x/(a)+[b]*.ts' }", { 'x/(a)+[b]c.ts': '' })).value?.design).toEqual([
      'x/(a)+[b]c.ts',
    ])
  })
})

describe('a faulty configuration', () => {
  it.each([
    ['export const design = 1', 'TG1003', 1],
    ['export default []', 'TG1003', 1],
    ["export default {\n  desing: 'x' }", 'TG1004', 2],
    ['export default {\n  design: 1 }', 'TG1005', 2],
    ['export default { design: [] }', 'TG1005', 1],
    ["export default { design: 'design/a.ts',\n output: '' }", 'TG1005', 2],
    ["export default { design: 'design/a.ts',\n importExtension: '.mjs' }", 'TG1005', 2],
    ["export default { design: 'design/a.ts',\n codecs: 'mjs' }", 'TG1005', 2],
    ["export default { design: 'design/a.ts',\n codecs: true }", 'TG1005', 2],
    ["export default { design: 'design/a.ts',\n codec: 'js' }", 'TG1004', 2],
    ["export default { design: 'design/a.ts',\n importMap: { a: 1 } }", 'TG1005', 2],
    ["export default {\n design: 'nope/*.ts' }", 'TG1006', 2],
    ["export default { design: 'design/a.ts',\n output: '../gen' }", 'TG1007', 2],
    ["export default { design: 'design/a.ts',\n output: '.' }", 'TG1007', 2],
    ["export default { design: 'design/a.ts',\n output: 'design' }", 'TG1007', 2],
    ["export default { design: 'design/a.ts',\n output: 'a\\\\..\\\\..\\\\b' }", 'TG1007', 2],
    ["export default { design: 'design/a.ts',\n output: '..\\\\gen' }", 'TG1007', 2],
    ["export default { design: 'design/a.ts',\n output: 'node_modules/x' }", 'TG1007', 2],
    ["export default { design: 'design/a.ts',\n output: 'x\\\\node_modules' }", 'TG1007', 2],
    ["export default { design: 'design/a.ts',\n output: 'ge\\0n' }", 'TG1005', 2],
    ["export default { design: 'design/a.ts',\n importMap: { 'a\\0.ts': 'x' } }", 'TG1005', 2],
    ["export default { design: 'design/a.ts/b.ts' }", 'TG1006', 1],
    ["export default { design: 'design/a.ts/*.ts' }", 'TG1006', 1],
    ["export default { design: 'design/a.ts',\n tsconfig: 'design/a.ts/b.json' }", 'TG1008', 2],
    ["export default {\n get design() { throw new Error('g') } }", 'TG1002', 2],
    ["export default {\n design: { get length() { throw new Error('g') } } }", 'TG1005', 2],
    ["export default { design: 'design/a.ts',\n tsconfig: 'nope.json' }", 'TG1008', 2],
    ["export default { design: 'design/a.ts',\n importMap: { 'nope.ts': 'x' } }", 'TG1009', 2],
  ])('%j is %s', async (text, code, line) => {
    const { value, diagnostics } = await load(text)
    expect(value).toBeUndefined()
    expect(diagnostics[0]).toMatchObject({ code, severity: 'error', location: { file: 'toolgen.config.ts', line } })
  })

  it('is reported where it threw, by its message', async () => {
    const { diagnostics } = await load("const x: number = 1\nthrow new Error('broken ' + x)\n")
    expect(diagnostics).toMatchObject([
      { code: 'TG1002', location: { line: 2 }, message: expect.stringContaining('broken 1') },
    ])
  })

  it('is reported with all its faults and near names', async () => {
    const { diagnostics } = await load("export default { desing: 'a', ouput: 'b' }")
    expect(diagnostics.map(({ code, near }) => [code, near])).toEqual([
      ['TG1004', ['design']],
      ['TG1004', ['output']],
    ])
  })

  it.each([
    ["export default {\n  design: 'x'\n", 2, 14, 'still open'],
    ["export default {\n  design: 'x'\n\n\n", 2, 14, 'still open'],
    ['export default {\n  design: ] }\n', 2, 11, 'at this location'],
  ])('%j has its syntax error where something is written', async (text, line, column, next) => {
    const { diagnostics } = await load(text)
    expect(diagnostics).toMatchObject([
      { code: 'TG1002', location: { line, column }, next: expect.stringContaining(next) },
    ])
  })

  it.each([
    ["import x from '@acme/config/base'\nexport default x", 'install the package: npm install --save-dev @acme/config'],
    ["import x from './bas.js'\nexport default x", 'Did you mean `./base.js`?'],
    ["import x from './bas'\nexport default x", 'Did you mean `./base`?'],
    ["import x from './nothing/here.js'\nexport default x", 'the folder contains no file with this'],
    ["import x from '#parts/base'\nexport default x", '`imports` entry that maps it'],
  ])('%j imports what is missing, and is told what to do', async (text, next) => {
    const { diagnostics } = await load(text, { 'base.ts': 'export default {}' })
    expect(diagnostics).toMatchObject([{ code: 'TG1002', location: { line: 1 }, next: expect.stringContaining(next) }])
  })

  it('is reported when it is missing, with the folder that was searched', async () => {
    const { root } = project({})
    expect((await loadConfig({ cwd: root })).diagnostics).toMatchObject([
      { code: 'TG1001', message: `toolgen.config.ts not found in ${root}.` },
    ])
    const inside = project({ 'toolgen.config.ts': 'export default {}', 'src/deep/x.ts': '' }).root
    expect((await loadConfig({ cwd: `${inside}/src/deep` })).diagnostics).toMatchObject([
      { code: 'TG1001', next: 'Run the command in a folder with a configuration: `--cwd ../..`.' },
    ])
    expect((await loadConfig({ cwd: project({}).root, path: 'my.ts' })).diagnostics).toMatchObject([
      { code: 'TG1001', message: expect.stringContaining('my.ts') },
    ])
  })
})
