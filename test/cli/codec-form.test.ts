import { check, type GenerateResult, inspect, generate as runGenerate } from '@toolgen/codegen'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject, type Project, smallProject } from './project.fixture.js'

// Every run reads types; a busy machine needs its time.
type Form = 'ts' | 'js'

const folder = 'gen/toolsets/orders'
const filesOf = { ts: ['codecs.ts'], js: ['codecs.d.ts', 'codecs.js'] } as const

const configOf = (codecs: Form): Readonly<Record<string, string>> => ({
  'toolgen.config.ts': `import { defineConfig } from '@toolgen/codegen'

export default defineConfig({ design: 'design/*.ts', codecs: '${codecs}' })
`,
})

let project: Project
beforeAll(async () => {
  project = createProject({ ...smallProject, ...configOf('ts') })
  expect((await generate()).ok).toBe(true)
})
afterAll(() => project.remove())

const generated = (): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(project.tree()).filter(([path]) => path.startsWith('gen/')))

const codecFiles = (): readonly string[] =>
  Object.keys(generated()).flatMap((path) =>
    path.startsWith(`${folder}/codecs`) ? [path.split('/').at(-1) ?? ''] : [],
  )

/** All the work, whatever an earlier run remembers. */
const generate = (force = false): Promise<GenerateResult> => runGenerate({ cwd: project.root, cache: false, force })

const choose = (codecs: Form): void => project.write(configOf(codecs))

describe('another form of the codecs', () => {
  it('is what check misses, and calls the first left over', async () => {
    choose('js')
    const { code, stdout } = project.toolgen('check', '--json')
    expect(code).toBe(4)
    expect(JSON.parse(stdout).drift.map(({ kind, path }: { kind: string; path: string }) => [kind, path])).toEqual([
      ['missing', `${folder}/codecs.d.ts`],
      ['missing', `${folder}/codecs.js`],
      ['orphaned', `${folder}/codecs.ts`],
      ['changed', 'gen/toolgen.lock.json'],
    ])
    choose('ts')
    expect((await check({ cwd: project.root })).ok).toBe(true)
  })

  it('takes the place of the first, and the other way round, to the same bytes', async () => {
    const before = generated()
    for (const form of ['js', 'ts', 'js', 'ts'] as const) {
      choose(form)
      const { written, removed } = await generate()
      const other = form === 'ts' ? 'js' : 'ts'
      expect({ written, removed }).toEqual({
        written: filesOf[form].map((name) => `toolsets/orders/${name}`),
        removed: filesOf[other].map((name) => `toolsets/orders/${name}`),
      })
      expect(codecFiles()).toEqual(filesOf[form])
      const lock = JSON.parse(project.read('gen/toolgen.lock.json'))
      expect(Object.keys(lock.files).filter((path) => path.includes('codecs'))).toEqual(
        filesOf[form].map((name) => `toolsets/orders/${name}`),
      )
      expect((await check({ cwd: project.root })).drift).toEqual([])
    }
    expect(generated()).toEqual(before)
  })

  it('writes nothing the second time, with and without what earlier runs remember', async () => {
    choose('js')
    expect((await generate()).ok).toBe(true)
    const before = generated()
    expect(await generate()).toMatchObject({ upToDate: true, recalled: false, written: [], removed: [] })
    expect(project.toolgen('generate').stderr).toMatch(/^up to date: gen, 1 tool in 1 toolset, 1 agent/)
    expect(generated()).toEqual(before)
  })

  it('is noticed by a run that would otherwise find nothing to do', async () => {
    const settle = async (): Promise<void> => {
      for (let runs = 0; runs < 4; runs += 1) if ((await runGenerate({ cwd: project.root })).recalled) return
      expect.fail('never recalled')
    }
    for (const form of ['ts', 'js'] as const) {
      choose(form)
      expect(await runGenerate({ cwd: project.root })).toMatchObject({ ok: true, recalled: false, upToDate: false })
      await settle()
      expect(codecFiles()).toEqual(filesOf[form])
    }
    const script = `${folder}/codecs.js`
    const text = project.read(script)
    project.write({ [script]: undefined })
    expect(await runGenerate({ cwd: project.root })).toMatchObject({
      recalled: false,
      written: ['toolsets/orders/codecs.js'],
    })
    expect(project.read(script)).toBe(text)
  })

  it('changes nothing that inspect shows', async () => {
    choose('ts')
    const shown = await inspect({ cwd: project.root })
    expect(shown.ir?.toolsets).toHaveLength(1)
    choose('js')
    expect(await inspect({ cwd: project.root })).toEqual(shown)
  })

  it.each([
    ['ts', 'js', 'codecs.ts'],
    ['js', 'ts', 'codecs.js'],
    ['js', 'ts', 'codecs.d.ts'],
  ] as const)('from %s to %s never removes a %s that was changed by hand', async (from, to, name) => {
    choose(from)
    expect((await generate()).ok).toBe(true)
    const path = `${folder}/${name}`
    const edited = `${project.read(path)}// mine\n`
    project.write({ [path]: edited })
    const before = generated()
    choose(to)
    const { ok, diagnostics } = await generate()
    expect(ok).toBe(false)
    expect(diagnostics).toMatchObject([{ code: 'TG5001', location: { file: path } }])
    expect(generated()).toEqual(before)
    expect((await generate(true)).ok).toBe(true)
    expect(codecFiles()).toEqual(filesOf[to])
  })

  it('never replaces files of somebody else', async () => {
    choose('ts')
    expect((await generate()).ok).toBe(true)
    const path = `${folder}/codecs.js`
    project.write({ [path]: 'export const mine = 1\n' })
    choose('js')
    for (const force of [false, true]) {
      expect(await generate(force)).toMatchObject({ ok: false, diagnostics: [{ location: { file: path } }] })
      expect(project.read(path)).toBe('export const mine = 1\n')
      expect(codecFiles()).toEqual(['codecs.js', 'codecs.ts'])
    }
  })
})
