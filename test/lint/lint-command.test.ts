import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject, type Project, smallProject } from '../cli/project.fixture.js'

const files = {
  ...smallProject,
  'design/orders.ts': `import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

export const orders = defineToolset('orders', {
  description: 'Look up orders.',
  tools: {
    getOrder: defineTool({
      description: 'One order with its line items.',
      payload: z.object({
        note: z.string(),
        extra: z.record(z.string(), z.string()).describe('Whatever helps, \\u001b[31mreally\\u2028'),
      }),
      result: z.object({ id: z.string(), status: z.string() }),
    }),
  },
})
`,
}

let project: Project
beforeAll(() => {
  project = createProject(files)
})
afterAll(() => project.remove())

describe('toolgen lint', () => {
  it('exits with 6, and shows each finding at the field in the design, and how to go on', () => {
    const { code, stdout, stderr } = project.toolgen('lint')
    expect([code, stdout]).toEqual([6, ''])
    expect(stderr).toContain(
      'design/orders.ts:10:9 - warning TG8301: `note` of `orders.getOrder` has no description. (missing-description)',
    )
    expect(stderr).toContain('  - sent: {"type":"object"')
    expect(stderr).toContain('3 findings: 1 missing-description, 1 hidden-characters, 1 openai-strict')
    expect(stderr).not.toContain('\u001b[31m')
    expect(stderr).not.toContain('\u2028')
  })

  it('prints what is sent to a vendor, whole, as JSON', () => {
    const { code, stdout } = project.toolgen(
      'lint',
      '--vendor',
      'openai',
      '--rule',
      'openai-strict,anthropic-form',
      '--json',
    )
    const { diagnostics, counts, suppressed, projected } = JSON.parse(stdout)
    expect([code, counts, suppressed]).toEqual([6, { 'openai-strict': 1 }, []])
    expect(diagnostics).toMatchObject([
      { code: 'TG8330', severity: 'warning', location: { file: 'design/orders.ts', line: 9 } },
    ])
    expect(projected).toMatchObject([
      { rule: 'openai-strict', tool: 'orders.getOrder', schema: { type: 'object', required: ['note', 'extra'] } },
    ])
    expect(projected[0].changes).toMatchObject([{ pointer: '/properties/extra', kind: 'fallback' }])
  })

  it('applies the rules of several vendors, and reports unknown vendors', () => {
    const { code, stdout } = project.toolgen('lint', '--vendor', 'gemini,openai', '--json')
    expect([code, JSON.parse(stdout).counts]).toEqual([
      6,
      { 'missing-description': 1, 'hidden-characters': 1, 'openai-strict': 1 },
    ])
    expect(project.toolgen('lint', '--vendor', 'openai,gemni')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Unknown vendor `gemni` in --vendor\.\n {2}do: Did you mean `gemini`\?/),
    })
    expect(project.toolgen('lint', '--vendor', ',')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('TG0001: --vendor is empty.'),
    })
  })

  it('accepts up to the given number of warnings, but no errors', () => {
    expect(project.toolgen('lint', '--max-warnings', '3').code).toBe(0)
    expect(project.toolgen('lint', '--max-warnings', '2').code).toBe(6)
    expect(project.toolgen('lint', '--max-warnings', 'few')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("TG0001: --max-warnings must be an integer of 0 or more, not 'few'."),
    })
    expect(project.toolgen('lint', '--max-warnings', '-1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("TG0001: --max-warnings must be an integer of 0 or more, not '-1'."),
    })
  })

  it('does as the configuration says, which may be wrong', () => {
    const configured = (lint: string): ReturnType<Project['toolgen']> => {
      project.write({ 'toolgen.config.ts': `export default { design: 'design/*.ts', lint: ${lint} }\n` })
      return project.toolgen('lint', '--reporter', 'github')
    }
    const off = "{ rules: { 'unplumbed-id': 'off', 'missing-description': 'error' }, vendors: [], maxWarnings: 9 }"
    expect(configured(off)).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/^::error file=design\/orders.ts,line=10,col=9,title=TG8301::/),
    })
    expect(configured("{ rules: { 'unplumbed-ids': 'off' } }")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'line=1,col=58,title=TG1013::Unknown rule `unplumbed-ids` in `lint.rules`.%0ADid you mean',
      ),
    })
    expect(configured("{ rules: { 'unplumbed-id': 'on' } }")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        "title=TG1005::`lint.rules['unplumbed-id']` must be 'off', 'warning' or 'error', but it is 'on'.",
      ),
    })
    expect(configured("{ rules: { ['__proto__']: 'off' } }")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('title=TG1013::Unknown rule `__proto__` in `lint.rules`.'),
    })
    for (const lint of ["{ rules: { __proto__: { 'unplumbed-id': 'off' } } }", "{ '__proto__': { vendors: [] } }"]) {
      expect(configured(lint)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /title=TG1005::`lint(\.rules)?` must be .* it is an object with a custom prototype/,
        ),
      })
    }
    expect(configured("{ ['__proto__']: {} }")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('title=TG1004::Unknown configuration field `lint.__proto__`.'),
    })
    expect(configured('{ vendor: [] }')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'title=TG1004::Unknown configuration field `lint.vendor`.%0ADid you mean `vendors`?',
      ),
    })
    project.write({ 'toolgen.config.ts': smallProject['toolgen.config.ts'] })
  })

  it.each(['', ','])('does not run for no rule at all, as of --rule "%s"', (rule) => {
    expect(project.toolgen('lint', '--rule', rule)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('TG0001: --rule is empty.'),
    })
  })

  it('does not run for a rule that there is not', () => {
    expect(project.toolgen('lint', '--rule', 'unbounded-lists')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /TG0003: Unknown rule `unbounded-lists`\.\n[\s\S]*Known rules: missing-description, .*`toolgen explain RULE`/,
      ),
    })
  })

  it('counts an entry of the design that silences nothing, since it makes the command fail', () => {
    const entry = "lint: { 'boolean-trap': 'no flags here' },\n  tools: {"
    project.write({ 'design/orders.ts': files['design/orders.ts'].replace('tools: {', entry) })
    const { code, stderr } = project.toolgen('lint', '--rule', 'boolean-trap')
    expect(code).toBe(6)
    expect(stderr).toContain('1 finding: 1 unused `lint` entry of the design\n')
    project.write({ 'design/orders.ts': files['design/orders.ts'] })
  })

  it('says what it needs where the runtime is missing', () => {
    project.write({ 'node_modules/@toolgen/runtime': undefined })
    expect(project.toolgen('lint')).toMatchObject({ code: 2, stderr: expect.stringContaining('error TG0037: ') })
  })
})

it('toolgen explain has a rule by its id, with both examples', () => {
  const { code, stdout } = project.toolgen('explain', 'boolean-trap')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^TG8317 \(boolean-trap\): [\s\S]*Found\n {4}exportOrders[\s\S]*Not found\n {4}exportOrders/)
})
