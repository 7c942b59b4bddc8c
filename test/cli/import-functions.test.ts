import { spawnSync } from 'node:child_process'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject, type Project, smallProject, toolgenCommand } from './project.fixture.js'

// Every test starts the command; a busy machine needs its time.
const getWeather = {
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: { type: 'dict', properties: { city: { type: 'string' } }, required: ['city'] },
}

let project: Project
beforeAll(() => {
  project = createProject({
    ...smallProject,
    'tools.json': JSON.stringify({ model: 'x', tools: [{ type: 'function', function: getWeather }] }),
    'src/weather-client.ts': `export class WeatherClient {
  async getWeather(request: { city: string }): Promise<{ city: string; degrees: number }> {
    return { city: request.city, degrees: 21 }
  }
}
`,
    'design/clients.ts': `import { type ServiceClient, serviceClient } from '@toolgen/dsl'
import type { WeatherClient } from '../src/weather-client.js'
export const weatherClient: ServiceClient<WeatherClient> = serviceClient<WeatherClient>()
`,
    'design/orders.ts': '',
    'design/support.ts': `import { defineAgent, fromService } from '@toolgen/dsl'
import { weatherClient } from './clients.js'
import { weather } from './weather.functions.js'
export const support = defineAgent('support', { description: 'Knows the weather.', uses: [fromService(weather, weatherClient)] })
`,
    'src/main.ts': `import { Runtime } from '@toolgen/runtime'
import { registerSupport } from '../gen/agents/support/index.js'
import { newGetWeatherCall } from '../gen/toolsets/weather/index.js'
import { WeatherClient } from './weather-client.js'
declare const console: { log(text: string): void }
const support = registerSupport(new Runtime(), { toolsets: { weather: { client: new WeatherClient() } } })
const outcome = await support.execute(newGetWeatherCall({ city: 'Turin' }))
if (outcome.status === 'completed') console.log(outcome.json)
`,
  })
})
afterAll(() => project.remove())

/** Runs the command with a text on its standard input. */
function piped(text: string, ...args: readonly string[]) {
  const { status, stderr } = spawnSync(process.execPath, [toolgenCommand, 'import', 'functions', ...args], {
    cwd: project.root,
    encoding: 'utf8',
    input: text,
  })
  return { code: status, stderr }
}

describe('toolgen import functions', () => {
  it('writes a snapshot and a module, whose tools a service client runs', () => {
    const ran = project.toolgen('import', 'functions', 'weather', '--from', 'tools.json')
    expect(ran).toMatchObject({ code: 0, stdout: '' })
    expect(ran.stderr).toContain('1 note (toolgen import functions weather --verbose shows it)\n')
    expect(ran.stderr).toContain(
      'imported: design/weather.functions.json, design/weather.functions.snapshot.ts, design/weather.functions.ts, 1 tool, 1 without a result schema',
    )
    expect(ran.stderr).toContain('Next: run `npx toolgen generate`.\n')
    expect(project.toolgen('generate')).toMatchObject({ code: 0 })
    expect(project.tsc('-p', '.', '--noEmit', 'false', '--outDir', 'dist')).toMatchObject({ code: 0, stdout: '' })
    expect(project.node(['dist/src/main.js'])).toEqual({
      code: 0,
      stdout: '{"city":"Turin","degrees":21}\n',
      stderr: '',
    })
  })

  it('reads the recorded file again without --from, and does not write unchanged files', () => {
    const before = statSync(join(project.root, 'design/weather.functions.ts')).mtimeMs
    const { code, stdout } = project.toolgen('import', 'functions', 'weather', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      command: 'import functions',
      exitCode: 0,
      diagnostics: [{ code: 'TG3030', severity: 'note', location: { file: 'tools.json', line: 1 } }],
      written: [],
      unchanged: ['weather.functions.json', 'weather.functions.snapshot.ts'],
      tools: 1,
      described: 0,
      changes: [],
    })
    expect(code).toBe(0)
    expect(statSync(join(project.root, 'design/weather.functions.ts')).mtimeMs).toBe(before)
  })

  it('keeps the module of the user, and an edited module with the names until --force gives it up', () => {
    const [own, names] = ['other/own.functions.ts', 'other/own.functions.snapshot.ts']
    const importOwn = (...more: readonly string[]) =>
      project.toolgen('import', 'functions', 'own', '--dir', 'other', '--from', 'own.json', ...more)
    project.write({ 'own.json': JSON.stringify([{ name: 'stat', description: 'x' }]) })
    importOwn()
    const mine = `${project.read(own)}// What I wrote`
    const edited = project.read(names).replace('stat: never', 'stat: string')
    project.write({ [own]: mine, [names]: edited })
    const { code, stderr } = importOwn()
    expect(code).toBe(2)
    expect(stderr).toContain(`TG0010: \`${names}\` was changed after the import. Nothing was written.`)
    expect(stderr).toContain(
      'Change tools with the options of `importedToolset`, or in the module that `import module` reads. Then import with --force, which overwrites the file.',
    )
    expect(project.read(names)).toBe(edited)
    expect(importOwn('--force').code).toBe(0)
    expect(project.read(names)).toContain('stat: never')
    expect(project.read(own)).toBe(mine)
  })

  it('applies options of tools, and reports those that a later import makes stale', () => {
    const options = createProject({ ...smallProject, 'list.json': JSON.stringify([getWeather, { name: 'stat' }]) })
    options.toolgen('import', 'functions', 'own', '--from', 'list.json')
    options.write({
      'design/own.functions.ts': `import { importedToolset } from '@toolgen/dsl'
import { ownSnapshot } from './own.functions.snapshot.js'
export const own = importedToolset(ownSnapshot, {
  omit: ['stat'],
  tools: {
    getWeather: {
      description: 'Mine.',
      toolName: 'weather',
      fields: { city: { description: 'A city.' } },
      examples: [{ city: 'Turin' }],
      confirmation: { prompt: 'Look at {{city}}?', deniedResult: null },
    },
  },
})
`,
    })
    expect(options.toolgen('generate')).toMatchObject({ code: 0 })
    expect(options.tsc('-p', '.')).toMatchObject({ code: 0, stdout: '' })
    const made = options.read('gen/toolsets/own/specs.ts') + options.read('gen/toolsets/own/codecs.ts')
    for (const text of ['Mine.', "'weather'", 'A city.', 'Look at {{city}}?']) expect(made).toContain(text)
    expect(made).not.toContain('stat')
    const parameters = { type: 'object', properties: { town: { type: 'string' } } }
    options.write({ 'list.json': JSON.stringify([{ ...getWeather, parameters }]) })
    expect(options.toolgen('import', 'functions', 'own')).toMatchObject({ code: 0 })
    const stale = options.toolgen('generate', '--json')
    const at = 'design/own.functions.ts'
    expect(JSON.parse(stale.stdout).diagnostics).toMatchObject([
      { code: 'TG2022', message: 'The snapshot of `own` has no tool `stat`.', location: { file: at, line: 4 } },
      { code: 'TG2025', message: '`getWeather` has no payload field `city`.', location: { file: at, line: 9 } },
    ])
    options.remove()
  })

  it('says what is new, gone and changed since the import before', () => {
    const write = (...functions: readonly object[]) => project.write({ 'list.json': JSON.stringify(functions) })
    write({ name: 'stays', description: 'x' }, { name: 'list', description: 'x' }, { name: 'read', description: 'x' })
    project.toolgen('import', 'functions', 'disk', '--dir', 'other', '--from', 'list.json')
    write({ name: 'read', description: 'y' }, { name: 'stat', description: 'x' }, { name: 'stays', description: 'x' })
    const { stderr } = project.toolgen('import', 'functions', 'disk', '--dir', 'other')
    expect(stderr).toMatch(
      /3 tools, .*\n {2}new: stat\n {2}removed: list\n {2}changed: read\nNext: run `npx toolgen generate`\.\n$/,
    )
  })

  it('reads standard input, of which a later import knows nothing', () => {
    const lines = [getWeather, { ...getWeather, name: 'get_wind' }].map((each) => JSON.stringify(each)).join('\n')
    project.toolgen('import', 'functions', 'piped', '--dir', 'other', '--from', 'tools.json')
    const ran = piped(lines, 'piped', '--dir', 'other', '--from', '-', '--verbose')
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain(
      'warning TG6024: `other/piped.functions.json` no longer records `tools.json`, because the functions come from another source.\n',
    )
    expect(ran.stderr).toMatch(/^<stdin>:1:\d+ - note TG3030: /m)
    expect(ran.stderr).toMatch(/\n<stdin>:2:\d+ - note TG3030: /)
    expect(ran.stderr).toContain('2 tools')
    const again = project.toolgen('import', 'functions', 'piped', '--dir', 'other')
    expect(again.code).toBe(2)
    expect(again.stderr).toContain(
      'The source of the functions is unknown: there is no --from, and `other/piped.functions.json` records no file',
    )
  })

  it('reports many findings for a file of one line in little CPU time', () => {
    const functions = Array.from({ length: 500 }, (_, index) => ({
      name: `f${index}`,
      description: 'x'.repeat(1_000),
      parameters: { type: 'dict', properties: { x: { type: 'integer', default: 'none' } } },
    }))
    project.write({ 'wide.json': JSON.stringify(functions) })
    const started = process.cpuUsage()
    const { code, stderr } = project.toolgen('import', 'functions', 'wide', '--dir', 'other', '--from', 'wide.json')
    expect([code, stderr.match(/ warning TG3031: /g)?.length]).toEqual([0, 500])
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(60_000)
  })

  it('overwrites no file that an import has not written', () => {
    project.write({ 'other/mine.functions.snapshot.ts': '// mine\n' })
    const { code, stderr } = project.toolgen('import', 'functions', 'mine', '--dir', 'other', '--from', 'tools.json')
    expect(stderr).toContain('error TG0010: `other/mine.functions.snapshot.ts` was not written by an import')
    expect(code).toBe(2)
    expect(project.has('other/mine.functions.json')).toBe(false)
  })

  it.each<[string, string | Uint8Array | undefined, number, string]>([
    [
      'a file that is not there',
      undefined,
      2,
      'error TG0009: `bad` cannot be read: a part of the path does not exist.',
    ],
    [
      'an empty file',
      '',
      2,
      'bad:1:1 - error TG0009: `bad` cannot be read: unexpected end of the text: expected a value.',
    ],
    [
      'broken JSON',
      '[\n  {"name": "a"},\n]',
      2,
      'bad:3:1 - error TG0009: `bad` cannot be read: it is not JSON: expected a value.',
    ],
    ['a binary file', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe]), 2, 'it is not UTF-8 text.'],
    ['a file in UTF-16', Buffer.from('\ufeff[{"name": "a"}]', 'utf16le'), 2, 'it is not UTF-8 text.'],
    ['a huge file', ' '.repeat(65 * 1024 * 1024), 2, 'it is larger than 64 MiB.'],
    [
      'values that nest without end',
      '['.repeat(500_000),
      2,
      'bad:1:500001 - error TG0009: `bad` cannot be read: unexpected end of the text: expected a value or `]`.',
    ],
    ['no functions', '{"tools": []}', 3, 'error TG6020: `bad` contains no function that can be imported.'],
    [
      'something in the place of a function',
      '{"tools":\n[1]}',
      3,
      'bad:2:2 - warning TG6014: The entry at /tools/0 has no name and is not imported.',
    ],
  ])('refuses %s, and writes nothing', (_, content, exitCode, message) => {
    const path = join(project.root, 'bad')
    rmSync(path, { force: true })
    if (content !== undefined) writeFileSync(path, content)
    const { code, stderr } = project.toolgen('import', 'functions', 'refused', '--dir', 'nowhere', '--from', 'bad')
    expect(stderr).toContain(message)
    expect(stderr).toContain('  do: ')
    expect(code).toBe(exitCode)
    expect(project.has('nowhere')).toBe(false)
  })

  it.each<[string, readonly string[], string]>([
    ['nothing to read', ['refused'], 'error TG0001: The source of the functions is unknown'],
    ['a folder', ['refused', '--from', 'design'], 'error TG0009: `design` cannot be read: a folder has this path.'],
    ['a file without end', ['refused', '--from', '/dev/zero'], 'it is a pipe or a device, not a file.'],
    [
      'a name that models could not be shown',
      ['my tools', '--from', 'tools.json'],
      'e.g. `toolgen import functions myTools`',
    ],
    ['an option that it does not have', ['refused', '--url', 'x'], 'error TG0001: '],
    ['no name', [], 'error TG0001: '],
    [
      'a folder whose name no disk can have',
      ['refused', '--from', 'tools.json', '--dir', 'x'.repeat(300)],
      '/refused.functions.json` cannot be accessed: the path is too long.',
    ],
    ['a folder that is a file', ['refused', '--from', 'tools.json', '--dir', 'tools.json'], 'error TG0011: '],
  ])('refuses %s', (_, args, message) => {
    const before = Object.keys(project.tree())
    const { code, stderr } = project.toolgen('import', 'functions', ...args)
    expect(stderr).toContain(message)
    expect(code).toBe(2)
    expect(Object.keys(project.tree())).toEqual(before)
  })
})
