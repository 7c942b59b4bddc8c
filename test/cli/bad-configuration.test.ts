import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type Expected, fails, projectWith } from './bad-input.fixture.js'
import { createProject, type Project, smallProject } from './project.fixture.js'

// Every test starts the command, which reads types; a busy machine needs its time.
let project: Project | undefined
afterEach(() => project?.remove())

function failsWith(files: Readonly<Record<string, string | undefined>>, expected: Expected): void {
  project = projectWith(files)
  fails(project, expected)
}

describe('the configuration', () => {
  it('is missing', () => {
    failsWith(
      { 'toolgen.config.ts': undefined },
      {
        exit: 2,
        code: 'TG1001',
        message: 'toolgen.config.ts not found in',
        next: "defineConfig({ design: 'design/**/*.ts', output: 'gen' })",
      },
    )
  })

  it('is looked for in a folder that does not exist, or in a file', () => {
    for (const [folder, message] of [
      ['examples/nope', 'The folder `examples/nope` does not exist.'],
      ['package.json', '`package.json` is not a folder.'],
    ] as const) {
      const command = ['generate', '--cwd', folder]
      failsWith({}, { exit: 2, code: 'TG0008', message, next: 'Correct --cwd', command })
      project?.remove()
    }
  })

  it('is named and missing', () => {
    const command = ['generate', '--config', 'other.ts']
    failsWith(
      {},
      {
        exit: 2,
        code: 'TG1001',
        message: 'other.ts',
        next: "defineConfig({ design: 'design/**/*.ts', output: 'gen' })",
        command,
      },
    )
  })

  it('throws', () => {
    failsWith(
      { 'toolgen.config.ts': `\nthrow new Error('no luck')\nexport default {}` },
      {
        exit: 2,
        code: 'TG1002',
        location: 'toolgen.config.ts:2',
        message: 'no luck',
        next: 'Correct the configuration',
      },
    )
  })

  it.each([
    ['process.exit(7)', 'TG1010', 'The evaluation of the configuration did not finish'],
    ['await new Promise(() => {})', 'TG1010', 'The evaluation of the configuration did not finish'],
    [
      `Promise.reject(new Error('bg'))\nexport default { design: 'design/*.ts' }`,
      'TG1011',
      'A timer or promise of the configuration failed in the background: bg',
    ],
    [
      `setTimeout(() => { throw new Error('bg') })\nawait new Promise((done) => setTimeout(done, 50))`,
      'TG1011',
      'A timer or promise of the configuration failed in the background: bg',
    ],
    [`export default { get design() { throw new Error('g') } }`, 'TG1002', 'g'],
    [`export default { design: 'design/*.ts', output: 'a\\\\..\\\\..\\\\b' }`, 'TG1007', 'is not a folder inside'],
    [`export default { design: 'design/*.ts', output: 'node_modules/x' }`, 'TG1007', 'is inside node_modules'],
    [`export default { design: 'design/*.ts', output: 'ge\\0n' }`, 'TG1005', 'NUL'],
  ])('is wrong usage and not an error of the design: %j', (text, code, message) => {
    const inProcess = code === 'TG1010' || code === 'TG1011'
    failsWith({ 'toolgen.config.ts': text }, { exit: 2, code, message, next: 'do: ', inProcess })
  })

  it('has an unknown field', () => {
    failsWith(
      { 'toolgen.config.ts': `export default { design: 'design/*.ts', outptu: 'src' }` },
      {
        exit: 2,
        code: 'TG1004',
        location: 'toolgen.config.ts:1',
        message: 'outptu',
        next: 'Did you mean `output`?',
      },
    )
  })
})

describe('the output folder', () => {
  it('is one of sources', () => {
    failsWith(
      { 'toolgen.config.ts': `export default { design: 'design/*.ts', output: 'src' }` },
      {
        exit: 2,
        code: 'TG5012',
        location: 'src:1',
        message: 'for example src/orders-client.ts',
        next: 'to a separate folder',
      },
    )
  })

  it('is a file', () => {
    failsWith(
      { gen: 'mine' },
      { exit: 2, code: 'TG5003', location: 'gen:1', message: 'Cannot write to gen: it is a file', next: '`output`' },
    )
  })

  it('is a symbolic link', () => {
    const made = createProject(smallProject)
    project = made
    mkdirSync(join(made.root, 'elsewhere'))
    symlinkSync('elsewhere', join(made.root, 'gen'))
    fails(made, {
      exit: 2,
      code: 'TG5003',
      location: 'gen:1',
      message: 'Cannot write to gen: it is a symbolic link',
      next: 'output',
    })
  })

  it('lies below a file', () => {
    const config = `export default { design: 'design/*.ts', output: 'src/orders-client.ts/gen' }`
    failsWith(
      { 'toolgen.config.ts': config },
      {
        exit: 2,
        code: 'TG5004',
        message: 'not a folder',
        next: '`output`',
      },
    )
  })

  it('cannot be written', () => {
    // A folder below which the operating system refuses to make anything, whoever asks.
    const made = createProject(smallProject)
    project = made
    symlinkSync('/proc/self', join(made.root, 'refusing'))
    made.write({ 'toolgen.config.ts': `export default { design: 'design/*.ts', output: 'refusing/gen' }` })
    fails(made, { exit: 2, code: 'TG5004', message: 'Nothing was changed', next: 'readable and writable' })
  })

  it('holds a generated file that was changed by hand', () => {
    const made = createProject(smallProject)
    project = made
    expect(made.toolgen('generate').code).toBe(0)
    const path = 'gen/toolsets/orders/types.ts'
    made.write({ [path]: `${made.read(path)}export type Mine = 1\n` })
    fails(made, { exit: 4, code: 'TG5001', location: path, message: 'changed by hand', next: '--force' })
    expect(made.toolgen('generate', '--force').code).toBe(0)
    expect(made.read(path)).not.toContain('Mine')
  })
})
