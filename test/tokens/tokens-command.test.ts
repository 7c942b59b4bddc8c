import { afterAll, beforeAll, expect, it } from 'vitest'
import { createProject, type Project, smallProject } from '../cli/project.fixture.js'

let project: Project
beforeAll(() => {
  project = createProject(smallProject)
})
afterAll(() => project.remove())

it('toolgen tokens prints a table, and the same as JSON', () => {
  const { code, stdout, stderr } = project.toolgen('tokens')
  expect([code, stderr]).toEqual([0, ''])
  const json = project.toolgen('tokens', '--json', '--encoding', 'cl100k_base', '--as', 'anthropic')
  const { encoding, as, agents } = JSON.parse(json.stdout)
  expect([json.code, encoding, as]).toEqual([0, 'cl100k_base', 'anthropic'])
  expect(agents).toMatchObject([
    { name: 'support', kind: 'agent', tools: [{ tool: 'orders.getOrder', description: 4 }] },
  ])
  const [{ declarations, tools }] = agents
  expect(declarations - tools[0].declaration).toBeGreaterThan(15) // the type `Json`
  expect(tools[0].declaration).toBeLessThan(tools[0].tokens)
  expect(stdout).toMatch(
    /^agent support: \d+ tokens in 1 tool \(o200k_base, as sent to openai\); \d\d as declarations for code mode\n {2}tokens {2}share {2}description {2}schema {2}declaration {2}tool\n {6}\d\d {3}100% {12}4 {6}\d\d {11}\d\d {2}orders\.getOrder\n$/,
  )
})

it('fails over a budget of the configuration, which the command line may change', () => {
  project.write({
    'toolgen.config.ts': "export default { design: 'design/*.ts', tokens: { perTool: 10, perAgent: 10 } }\n",
  })
  const { code, stderr } = project.toolgen('tokens')
  expect(code).toBe(6)
  expect(stderr).toMatch(/design\/orders\.ts:7:5 - error TG8501: `orders\.getOrder` has \d+ tokens, /)
  expect(stderr).toMatch(/design\/support\.ts:5:24 - error TG8502: The tools of `support` have \d+ tokens/)
  expect(project.toolgen('tokens', '--budget', '1000', '--per-tool', '1000').code).toBe(0)
  for (const option of ['--budget', '--per-tool']) {
    expect(project.toolgen('tokens', option, '-1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`TG0001: ${option} must be an integer of 0 or more, not '-1'.`),
    })
  }
})

it.each([
  ['{ perTool: -1 }', '`tokens.perTool` must be an integer of 0 or more, but it is -1.'],
  ['{ perAgent: 1.5 }', '`tokens.perAgent` must be an integer of 0 or more, but it is 1.5.'],
  ['{ perAgent: true }', '`tokens.perAgent` must be an integer of 0 or more, but it is true.'],
  ['{ perAgent: 10n }', '`tokens.perAgent` must be an integer of 0 or more, but it is 10n.'],
  ["{ ['__proto__']: 1 }", 'Unknown configuration field `tokens.__proto__`.'],
])('does not run where the configuration is wrong: %s', (said, message) => {
  project.write({ 'toolgen.config.ts': `export default { design: 'design/*.ts', tokens: ${said} }\n` })
  expect(project.toolgen('tokens')).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
})

it('does not run where the configuration has a field `__proto__`', () => {
  project.write({ 'toolgen.config.ts': "export default { design: 'design/*.ts', ['__proto__']: {} }\n" })
  const stderr = expect.stringContaining('Unknown configuration field `__proto__`.')
  expect(project.toolgen('tokens')).toMatchObject({ code: 2, stderr })
})

it('defect 7: `tokens` and `lint --vendor openai` report a pattern that needs too many states', () => {
  const own = createProject({
    ...smallProject,
    'design/mail.ts': `import { defineTool, defineToolset } from '@toolgen/dsl'
const payload = { type: 'object', properties: { to: { type: 'string', pattern: '^.{1,3000}@.{1,3000}$', description: 'Address.' } } }
const send = defineTool({ description: 'Sends a mail.', payload, result: { type: 'object', properties: {} } })
export const mail = defineToolset('mail', { description: 'Mails.', tools: { send } })
export const remote = defineToolset('remote', {
  description: 'Mails of a server.',
  mcp: { names: { send: 'send' } },
  tools: { send },
})
`,
  })
  try {
    const results = [['tokens'], ['lint', '--vendor', 'openai']].map((args) => own.toolgen(...args))
    expect(results.map(({ stderr }) => stderr).join('\n')).not.toMatch(/TG9000|SchemaError/)
    for (const { code, stderr } of results) {
      expect(code).toBe(3)
      expect(stderr).toContain('TG3038')
      expect(stderr).toContain('has counts that need more than 5000 states')
    }
  } finally {
    own.remove()
  }
})
