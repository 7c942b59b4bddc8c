import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fails, projectWith } from './bad-input.fixture.js'
import { createProject, type Project, smallProject } from './project.fixture.js'

const layers = 'defaultLayers: { timeoutMs: 20, attempts: 2 }'

/** A toolset with a tool that changes nothing. */
const toolset = (name: string, parts = '', tool = `readOnly: true, ${layers}`): string =>
  `import { defineTool, defineToolset } from '@toolgen/dsl'

export const ${name} = defineToolset('${name}', {
  description: 'Looks things up.',
  ${parts}
  tools: {
    find: defineTool({
      description: 'Find one thing by its number.',
      payload: { type: 'object', properties: {} },
      result: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      ${tool},
    }),
  },
})
`

/** A toolset for each provider. */
const design: Readonly<Record<string, string>> = {
  'design/served.ts': toolset('served'),
  'design/own.ts': toolset('own'),
  'design/remote.ts': toolset('remote', 'mcp: {},'),
  'design/web.ts': toolset(
    'web',
    "openapi: { server: 'https://api.invalid', operations: { find: { method: 'GET', path: '/' } } },",
  ),
  'design/nested.ts': toolset('nested'),
  'design/clients.ts': `import { type ServiceClient, serviceClient } from '@toolgen/dsl'
export interface Client {
  find(input: object): Promise<{ id: string }>
}
export const client: ServiceClient<Client> = serviceClient<Client>()
`,
  'design/agents.ts': `import { defineAgent, exportToolset, fromAgent, fromMcp, fromOpenApi, fromService } from '@toolgen/dsl'
import { client } from './clients.js'
import { nested } from './nested.js'
import { own } from './own.js'
import { remote } from './remote.js'
import { served } from './served.js'
import { web } from './web.js'

export const research = defineAgent('research', { description: 'Finds things.', uses: [], exports: [exportToolset(nested)] })
export const desk = defineAgent('desk', {
  description: 'Answers visitors.',
  uses: [fromService(served, client), fromService(own, client), fromMcp(remote), fromOpenApi(web), fromAgent(nested)],
})
`,
  'tsconfig.json': smallProject['tsconfig.json']?.replace('"types":[]', '"types":["node"]') ?? '',
  'src/run.ts': `import { Runtime } from '@toolgen/runtime'
import { registerDesk } from '../gen/agents/desk/index.js'
import { registerResearch } from '../gen/agents/research/index.js'

const never = (): Promise<never> => new Promise(() => undefined)
const runtime = new Runtime()
const caller = { server: undefined, callTool: never, listTools: never, close: async () => undefined }
const desk = (defaultLayers: false | undefined | { readonly find: { readonly timeoutMs: number } | false }) => {
  const options = defaultLayers === undefined ? {} : { defaultLayers }
  return registerDesk(runtime, {
    toolsets: {
      served: { client: { find: never }, ...options },
      own: { executor: { execute: never }, ...options },
      remote: { caller, ...options },
      web: { fetch: never, ...options },
      nested: { agent: registerResearch(runtime, { planner: never, toolsets: {} }), ...options },
    },
  })
}

const alive = setInterval(() => undefined, 1_000)
for (const [title, given] of [['declared', undefined], ['overridden', { find: { timeoutMs: 600_000 } }], ['removed', { find: false }], ['all removed', false]] as const) {
  for (const name of ['served', 'own', 'remote', 'web', 'nested']) {
    const controller = new AbortController()
    const call = desk(given).execute({ tool: name + '.find', arguments: '{}' }, { signal: controller.signal })
    // Without a time limit of its own the call waits until somebody ends it.
    if (given !== undefined) setTimeout(() => controller.abort(), 60)
    const outcome = await call
    console.log(title, name, outcome.status === 'failed' && outcome.error.reason, outcome.provenance.attempts)
  }
}
clearInterval(alive)
`,
}

describe('defect 21: default layers of a design', () => {
  let project: Project
  beforeAll(() => {
    project = createProject(smallProject)
    project.write(design)
    for (const name of ['orders', 'support', 'fields']) project.write({ [`design/${name}.ts`]: undefined })
  })
  afterAll(() => project.remove())

  it('are one line of the generated spec, and of inspect and the docs', () => {
    expect(project.toolgen('generate')).toMatchObject({ code: 0 })
    expect(project.tsc('-p', '.')).toMatchObject({ stdout: '', code: 0 })
    for (const name of ['served', 'own', 'remote', 'web', 'nested']) {
      expect(project.read(`gen/toolsets/${name}/specs.ts`)).toContain(
        '\n  defaultLayers: { timeoutMs: 20, attempts: 2 },\n',
      )
    }
    expect(project.toolgen('inspect').stdout).toMatch(/ {2}served\.find .* {2}20 ms, 2 attempts {2}Find one thing/)
    const [shown] = JSON.parse(project.toolgen('inspect', '--json').stdout).toolsets
    expect(shown.tools[0].defaultLayers).toEqual({ timeoutMs: 20, attempts: 2 })
    expect(project.toolgen('docs').stdout.replaceAll('\\', '')).toContain(
      'Default layers: at most 20 ms for each attempt, at most 2 attempts.',
    )
  })

  it('are attached by the runtime for every provider; the application overrides or removes them', () => {
    const compiled = project.tsc('-p', '.', '--noEmit', 'false', '--outDir', 'dist')
    expect([compiled.stdout, compiled.code]).toEqual(['', 0])
    const { stdout, stderr } = project.node(['dist/src/run.js'])
    expect(stderr).toBe('')
    const lines = stdout.trimEnd().split('\n')
    for (const name of ['served', 'own', 'remote', 'web', 'nested']) {
      expect(lines).toContain(`declared ${name} timeout 2`)
      for (const title of ['overridden', 'removed', 'all removed'])
        expect(lines).toContain(`${title} ${name} cancelled 1`)
    }
    expect(lines).toHaveLength(20)
  })

  it('are a visible change for diff', () => {
    project.write({ 'was.lock.json': project.read('gen/toolgen.lock.json') })
    project.write({ 'design/served.ts': toolset('served', '', 'readOnly: true, defaultLayers: { timeoutMs: 5_000 }') })
    expect(project.toolgen('generate').code).toBe(0)
    const { stdout } = project.toolgen('diff', 'was.lock.json', '--verbose', '--json')
    expect(stdout).toContain('tool-default-layers-changed')
  })

  it.each([
    [
      'defaultLayers: { attempts: 2 }',
      'TG2052',
      '`find` has 2 attempts by default, and is neither `idempotent` nor `readOnly`.',
    ],
    ['defaultLayers: { timeoutMs: 0 }', 'TG2001', '`timeoutMs` is 0; expected an integer from 1 to 2147483647.'],
    [
      'readOnly: true, defaultLayers: { attempts: 1.5 }',
      'TG2001',
      '`attempts` is 1.5; expected an integer from 2 to 100.',
    ],
    ['defaultLayers: { timeout: 5 }', 'TG2001', 'unknown property "timeout"'],
  ])('are checked: %s', (tool, code, message) => {
    const bad = projectWith({ 'design/served.ts': toolset('served', '', tool) })
    try {
      fails(bad, { exit: 3, code, message, next: '' })
    } finally {
      bad.remove()
    }
  })
})
