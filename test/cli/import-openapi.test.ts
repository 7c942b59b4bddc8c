import { execFileSync } from 'node:child_process'
import { rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run as runImportOpenApi } from '../../packages/codegen/src/cli/commands/import-openapi.js'
import type { CommandContext } from '../../packages/codegen/src/cli/context.js'
import { commandContext } from '../../packages/codegen/src/cli/run-command.js'
import type { Style } from '../../packages/codegen/src/cli/terminal.js'
import { createProject, type Project, smallProject } from './project.fixture.js'

// Every test starts the command; a busy machine needs its time.
const document = (paths: object): string =>
  JSON.stringify({ openapi: '3.1.0', info: { title: 'Pets', version: '1' }, servers: [{ url: '/v1' }], paths })
const operation = (operationId: string, tag: string) => ({ operationId, tags: [tag], summary: `${operationId}.` })
const paths = {
  '/pets': { get: operation('listPets', 'pets') },
  '/pets/toys': { get: operation('listToys', 'toys') },
  '/people': { get: operation('listPeople', 'people') },
}

/** A command in this process, which adds all that it prints to a list. */
function contextOf(cwd: string, said: string[]): CommandContext {
  const add = (text: string): void => {
    said.push(text)
  }
  const style: Style = (_, text) => text
  const quiet = { outIsTerminal: false, noteIsTerminal: false, outStyle: style, noteStyle: style }
  const terminal = { out: add, note: add, ...quiet }
  return commandContext('import openapi', {}, { cwd, terminal, output: process.stdout, input: () => process.stdin })
}

let project: Project
beforeAll(() => {
  project = createProject({ ...smallProject, 'api.json': document(paths) })
})
afterAll(() => project.remove())

describe('toolgen import openapi', () => {
  it('writes a snapshot and a module, which generate code for an agent that uses them', () => {
    const first = project.toolgen('import', 'openapi', 'pets', '--from', 'api.json')
    expect(first.stderr).toContain(
      'warning TG6207: The URL of the API is unknown, because its server `/v1` is relative',
    )
    expect(first.stderr).not.toContain('Optional')
    expect(first.stderr).toMatch(/\n\nimported: /)
    expect(
      first.stderr.slice(first.stderr.indexOf('imported: ')),
    ).toBe(`imported: design/pets.openapi.json, design/pets.openapi.snapshot.ts, design/pets.openapi.ts, 3 tools, 3 without a result schema
Next: add it to an agent with \`fromOpenApi(pets)\`, then run \`npx toolgen generate\`.
`)
    expect(first.code).toBe(0)
    project.write({
      'design/keeper.ts': `import { defineAgent, fromOpenApi } from '@toolgen/dsl'
import { pets } from './pets.openapi.js'
export const keeper = defineAgent('keeper', { description: 'Keeps pets.', uses: [fromOpenApi(pets, { only: ['listPets'] })] })
`,
    })
    expect(project.toolgen('generate').code).toBe(0)
    expect(project.read('gen/agents/keeper/index.ts')).toContain('readonly pets: OpenApiBinding<')
    expect(project.toolgen('check').code).toBe(0)
    // The document has no credentials, so that none that are given would be sent.
    project.write({
      'src/refused.ts': `import { newPetsApiExecutor } from '../gen/toolsets/pets/openapi.js'
newPetsApiExecutor({ baseUrl: 'https://pets.example.com' })
// @ts-expect-error
newPetsApiExecutor({ baseUrl: 'https://pets.example.com', auth: { token: 'x' } })
`,
    })
    expect(project.tsc()).toMatchObject({ code: 0, stdout: '' })
  })

  it('reads the recorded document again, lists added and removed tools, and writes nothing if nothing changed', () => {
    const again = project.toolgen('import', 'openapi', 'pets', '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({ command: 'import openapi', written: [], changes: [] })
    project.write({
      'api.json': document({ '/pets': paths['/pets'], '/dogs': { get: operation('listDogs', 'dogs') } }),
    })
    const { stderr } = project.toolgen('import', 'openapi', 'pets')
    expect(stderr).toContain('  new: listDogs\n  removed: listToys, listPeople\n')
  })

  it('takes what is selected, now and whenever it is read again', () => {
    project.write({ 'api.json': document(paths) })
    const chosen = project.toolgen(
      'import',
      'openapi',
      'few',
      '--from',
      'api.json',
      '--tag',
      'people',
      '--path',
      '/pets/*',
      '--json',
    )
    expect(JSON.parse(chosen.stdout)).toMatchObject({ tools: 2 })
    expect(JSON.parse(project.toolgen('import', 'openapi', 'few', '--json').stdout)).toMatchObject({
      tools: 2,
      written: [],
    })
    const before = project.tree()
    const { code, stderr } = project.toolgen('import', 'openapi', 'few', '--operation', 'listPet')
    expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean `listPets`?')])
    expect(project.tree()).toEqual(before)
  })

  it.each<[args: readonly string[], said: string, exitCode: number]>([
    ...(['--tag', '--path', '--operation', '--from'] as const).flatMap((option) =>
      ['', ' , '].map((empty): [readonly string[], string, number] => [
        [...(option === '--from' ? ['few'] : ['few', '--from', 'api.json']), option, empty],
        `\`${option}\` is empty`,
        2,
      ]),
    ),
    [['nobody'], 'The OpenAPI document is unknown', 2],
    [['nobody', '--from', 'nothing.yaml'], '`nothing.yaml` cannot be read', 2],
    [['1pet', '--from', 'api.json'], 'is not a valid name for an imported toolset', 2],
    [['other', '--from', 'package.json'], 'cannot be imported as an OpenAPI document', 3],
  ])('%j leaves the disk alone', (args, said, exitCode) => {
    const before = project.tree()
    const { code, stderr } = project.toolgen('import', 'openapi', ...args)
    expect([code, stderr]).toEqual([exitCode, expect.stringContaining(said)])
    expect(project.tree()).toEqual(before)
  })

  it.skipIf(process.platform === 'win32')('refuses pipes and devices, which may never end', () => {
    const pipe = `${project.root}/pipe.json`
    execFileSync('mkfifo', [pipe])
    for (const kind of ['openapi', 'functions']) {
      for (const from of ['pipe.json', '/dev/zero']) {
        const { code, stderr } = project.toolgen('import', kind, 'endless', '--from', from)
        expect([code, stderr]).toEqual([
          2,
          expect.stringContaining(`\`${from}\` cannot be read: it is a pipe or a device`),
        ])
        expect(stderr).toContain('`--from -`')
      }
    }
    rmSync(pipe)
  })

  it('says who names a source that is gone', () => {
    const own = createProject({ ...smallProject, 'api.json': document(paths) })
    own.toolgen('import', 'openapi', 'pets', '--from', 'api.json')
    unlinkSync(join(own.root, 'api.json'))
    const { code, stderr } = own.toolgen('import', 'openapi', 'pets')
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(
        'do: `design/pets.openapi.json` records this source. Set `--from` to the current source.',
      ),
    ])
    expect(own.toolgen('import', 'openapi', 'pets', '--from', 'api.json').stderr).toContain(
      'do: Correct --from. It is relative to the working folder of the command.',
    )
    own.remove()
  })

  it('imports a document outside of the project without a warning, and reports a later import without --from', () => {
    const outside = join(tmpdir(), `toolgen-outside-${process.pid}.json`)
    writeFileSync(outside, document(paths))
    const { code, stderr } = project.toolgen('import', 'openapi', 'outer', '--from', outside)
    rmSync(outside)
    expect(stderr).toContain('warning TG6207')
    expect(code).toBe(0)
    expect(stderr).not.toContain('TG6007')
    expect(project.toolgen('import', 'openapi', 'outer')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no --from, and `design/outer.openapi.json` records no source.'),
    })
    project.write({ 'design/outer.openapi.json': '{' })
    expect(project.toolgen('import', 'openapi', 'outer')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'there is no --from, and `design/outer.openapi.json` cannot be read: it is not JSON.',
      ),
    })
  })

  it('names some of very many tools that are new or gone, and counts the others', () => {
    const many = Array.from({ length: 60 }, (_, index) => [`/x${index}`, { get: operation(`tool${index}`, 'x') }])
    project.write({ 'api.json': document(paths) })
    project.toolgen('import', 'openapi', 'many', '--from', 'api.json')
    project.write({ 'api.json': document({ ...paths, ...Object.fromEntries(many) }) })
    const { stderr } = project.toolgen('import', 'openapi', 'many')
    expect(stderr).toMatch(/^ {2}new: tool0, .*tool19 and 40 more \(--json lists all\)$/m)
    project.write({ 'api.json': document(paths) })
    expect(JSON.parse(project.toolgen('import', 'openapi', 'many', '--json').stdout).changes).toHaveLength(60)
  })

  // In this process: the server that is asked lives in it.
  it('sends a name and a password of an address, and neither prints nor keeps them', async () => {
    const asked: (string | undefined)[] = []
    const server = createServer(({ headers, url }, response) => {
      asked.push(headers.authorization)
      response.writeHead(url?.startsWith('/doc.json') ? 200 : 404).end(document(paths))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const notes: string[] = []
    const run = (from: string) =>
      runImportOpenApi({ name: 'safe', from, dir: `${project.root}/safe` }, contextOf(project.root, notes))
    expect(await run(`http://me:hush%21@127.0.0.1:${port}/doc.json?token=whisper`)).toBe(0)
    expect(await run(`http://me:hush%21@127.0.0.1:${port}/no.json?token=whisper`)).toBe(2)
    expect(await run('http://me:hush%21@127.0.0.1:1/doc.json')).toBe(2)
    server.close()
    expect(asked).toEqual(Array(2).fill(`Basic ${btoa('me:hush!')}`))
    expect(notes.join('')).toContain(`\`http://***@127.0.0.1:${port}/no.json?token=***\``)
    const kept = ['json', 'snapshot.ts', 'ts'].map((end) => project.read(`safe/safe.openapi.${end}`))
    for (const text of [...notes, ...kept]) expect(text).not.toMatch(/hush|whisper/)
  })

  // In this process: the server that is asked lives in it.
  it('reads a document from its address, to which its server is relative', async () => {
    const server = createServer((request, response) => {
      response.writeHead(request.url === '/api/doc.json' ? 200 : 404).end(document(paths))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const notes: string[] = []
    const run = (from: string) =>
      runImportOpenApi({ name: 'far', from, dir: `${project.root}/far` }, contextOf(project.root, notes))
    expect(await run(`${address}/nothing.json`)).toBe(2)
    expect(notes.join('')).toContain('the server returned status 404')
    expect(await run(`${address}/api/doc.json`)).toBe(0)
    server.close()
    const snapshot = JSON.parse(project.read('far/far.openapi.json'))
    expect(snapshot).toMatchObject({ from: `${address}/api/doc.json`, server: `${address}/v1` })
  })
})

describe('the options of an imported toolset', () => {
  const field = (name: string) => ({ name, in: 'query', schema: { type: 'string', description: `The ${name}.` } })
  const api = (getFields: readonly string[], more: object = {}) =>
    document({
      '/pet': { get: { ...operation('getPet', 'pets'), parameters: getFields.map(field) } },
      '/pets': {
        post: { ...operation('addPet', 'pets'), parameters: [field('name'), field('session')] },
        delete: operation('deletePets', 'pets'),
      },
      ...more,
    })
  const design = (options: string): Record<string, string> => ({
    'design/pets.openapi.ts': `import { importedToolset } from '@toolgen/dsl'
import { petsSnapshot } from './pets.openapi.snapshot.js'
export const pets = importedToolset(petsSnapshot, ${options})
`,
    'design/keeper.ts': `import { defineAgent, fromOpenApi } from '@toolgen/dsl'
import { pets } from './pets.openapi.js'
export const keeper = defineAgent('keeper', { description: 'Keeps pets.', uses: [fromOpenApi(pets)] })
`,
  })
  const options = `{
  description: 'The pets of a shop.',
  omit: ['deletePets'],
  tools: {
    getPet: {
      description: 'Look at one pet.',
      toolName: 'look_at_pet',
      fields: { id: { description: 'Number of the pet, such as 7.' } },
      examples: [{ id: '7' }],
      callHint: 'Looking at {{id}}',
    },
    addPet: { confirmation: { prompt: 'Add {{name}}?' }, serverOwned: { session: 'sessionId' } },
  },
}`
  let own: Project
  beforeAll(() => {
    own = createProject({ ...smallProject, 'api.json': api(['id', 'kind']) })
    expect(own.toolgen('import', 'openapi', 'pets', '--from', 'api.json').code).toBe(0)
  })
  afterAll(() => own.remove())

  it('select tools and change what models read, and a later import keeps them', () => {
    own.write(design(options))
    expect(own.toolgen('generate')).toMatchObject({ code: 0 })
    const generated = own.read('gen/toolsets/pets/specs.ts') + own.read('gen/toolsets/pets/codecs.ts')
    for (const text of [
      "description: 'Look at one pet.'",
      "toolName: 'look_at_pet'",
      "description: 'Number of the pet, such as 7.'",
      "description: 'The kind.'",
      "prompt: 'Add {{name}}?'",
    ]) {
      expect(generated).toContain(text)
    }
    expect(generated).not.toContain('deletePets')
    own.write({
      'src/calls.ts': `import { newAddPetCall, newGetPetCall } from '../gen/toolsets/pets/index.js'
newGetPetCall({ id: '7' })
newAddPetCall({ name: 'Tom' })
// @ts-expect-error: the runtime fills this field.
newAddPetCall({ name: 'Tom', session: 's' })
`,
    })
    expect(own.tsc()).toMatchObject({ code: 0, stdout: '' })
    own.write({ 'api.json': api(['id', 'kind'], { '/toys': { get: operation('listToys', 'toys') } }) })
    const again = own.toolgen('import', 'openapi', 'pets', '--json')
    expect(JSON.parse(again.stdout).written).toEqual(['pets.openapi.json', 'pets.openapi.snapshot.ts'])
    expect(own.read('design/pets.openapi.ts')).toContain(options)
    expect(own.toolgen('generate').code).toBe(0)
    const later = own.read('gen/toolsets/pets/specs.ts')
    expect(later).toContain("description: 'Look at one pet.'")
    expect(later).toContain("id: 'pets.listToys'")
  })

  it('that no longer apply are compile errors, and errors with a position', () => {
    own.write({ ...design(options), 'api.json': api(['number']) })
    const text = own.read('api.json').replace('"addPet"', '"createPet"')
    own.write({ 'api.json': text })
    expect(own.toolgen('import', 'openapi', 'pets').stderr).toContain(
      '  new: createPet\n  removed: addPet, listToys\n  changed: getPet\n',
    )
    const { code, stdout } = own.toolgen('generate', '--json')
    expect(code).toBe(3)
    const { diagnostics } = JSON.parse(stdout)
    expect(diagnostics).toMatchObject([
      {
        code: 'TG2025',
        message: '`getPet` has no payload field `id`.',
        location: { file: 'design/pets.openapi.ts', line: 10, column: 17 },
      },
      {
        code: 'TG2022',
        message: 'The snapshot of `pets` has no tool `addPet`.',
        location: { file: 'design/pets.openapi.ts', line: 14, column: 5 },
      },
    ])
    own.write({ 'src/design.ts': "export { keeper } from '../design/keeper.js'" })
    const { stdout: errors } = own.tsc()
    expect(errors).toMatch(/pets\.openapi\.ts\(10,.*'id' does not exist/)
    expect(errors).toMatch(/pets\.openapi\.ts\(11,.*'id' does not exist/)
  })

  it('name a missing snapshot, and errors in its tools have positions in the snapshot', () => {
    own.write(design('{}'))
    const snapshot = own.read('design/pets.openapi.json')
    own.write({ 'design/pets.openapi.json': snapshot.replace('"type": "object"', '"type": "objekt"') })
    const { diagnostics } = JSON.parse(own.toolgen('generate', '--json').stdout)
    const line = snapshot.slice(0, snapshot.indexOf('"type": "object"')).split('\n').length
    expect(diagnostics[0]).toMatchObject({ severity: 'error', location: { file: 'design/pets.openapi.json', line } })
    own.write({ 'design/pets.openapi.json': snapshot.slice(0, 100) })
    expect(own.toolgen('generate').stderr).toContain(
      'TG2061: The snapshot `design/pets.openapi.json` of `pets` cannot be read',
    )
    unlinkSync(join(own.root, 'design/pets.openapi.json'))
    const { code, stderr } = own.toolgen('generate')
    expect([code, stderr]).toEqual([3, expect.stringContaining('import again: `toolgen import openapi pets`')])
    own.write({ 'design/pets.openapi.json': snapshot })
    expect(own.toolgen('generate').code).toBe(0)
    expect(own.toolgen('generate').stderr).toContain('up to date')
  })
})
