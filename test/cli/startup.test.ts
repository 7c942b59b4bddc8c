import { afterAll, beforeAll, expect, it } from 'vitest'
import { createProject, type Project, toolgenCommand } from './project.fixture.js'

/** Prints what is loaded: ES modules as they are resolved, the others at the end. */
const listing = `data:text/javascript,${encodeURIComponent(`
  import { createRequire, register } from 'node:module'
  import { writeSync } from 'node:fs'
  const hook = "import { writeSync } from 'node:fs'; export async function load(url, context, next) { if (url.startsWith('file:')) writeSync(2, 'loaded ' + url + '\\\\n'); return next(url, context) }"
  register('data:text/javascript,' + encodeURIComponent(hook))
  const { cache } = createRequire('/')
  process.on('exit', () => { for (const file of Object.keys(cache)) writeSync(2, 'loaded file://' + file + '\\n') })
`)}`

let project: Project
beforeAll(() => {
  project = createProject()
})
afterAll(() => project.remove())

function loadedBy(...args: readonly string[]): readonly string[] {
  const { stderr } = project.node(['--import', listing, toolgenCommand, ...args])
  return [...new Set([...stderr.matchAll(/^loaded (.*)$/gm)].map(([, url = '']) => url))]
}

it.each([[['--help']], [['--version']], [['generate', '--help']]])(
  '%j loads the words of the program and its parser, and nothing else',
  (args) => {
    const loaded = loadedBy(...args)
    const parser = loaded.filter((url) => url.includes('/commander/'))
    const own = loaded.filter((url) => url.includes('/packages/codegen/'))
    expect(loaded.filter((url) => !parser.includes(url) && !own.includes(url))).toEqual([])
    expect(own.length).toBeGreaterThan(2)
    expect(own.length).toBeLessThanOrEqual(12)
    expect(parser.length).toBeLessThanOrEqual(8)
  },
)

it('a design without a service client loads neither TypeScript nor Babel', () => {
  project.write({
    'package.json': '{ "type": "module" }',
    'toolgen.config.ts': `export default { design: 'design.ts' }`,
    'design.ts': `import { defineAgent, defineTool, defineToolset, fromExecutor } from '@toolgen/dsl'
import { z } from 'zod'
const getOrder = defineTool({ description: 'Fetch an order.', payload: z.object({}), result: z.object({}) })
export const orders = defineToolset('orders', { description: 'Orders.', tools: { getOrder } })
export const support = defineAgent('support', { description: 'Answers.', uses: [fromExecutor(orders)] })`,
  })
  const loaded = loadedBy('generate', '--no-cache')
  expect(project.has('gen/agents/support/index.ts')).toBe(true)
  expect(loaded.filter((url) => /\/(?:typescript|babel)\b/.test(url))).toEqual([])
  for (const name of ['oxc-transform', 'jiti']) expect(loaded.join('\n')).toContain(`/${name}/`)
})
