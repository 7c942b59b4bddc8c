import { describe, expect, it } from 'vitest'
import { importOpenApi } from '../../packages/codegen/src/imports/openapi.js'
import { toolsetText } from './documents.fixture.js'

const imported = (text: string) => importOpenApi('api', { text, file: 'api.yaml', shown: '`api.yaml`' })

const merging = `openapi: 3.0.3
info: {}
servers: [{ url: https://example.com }]
x-page: &page
  limit: { type: integer }
paths:
  /one:
    post:
      operationId: one
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                <<: *page
                name: { type: string, pattern: '(' }
`

it('a merge key adds the fields of its anchor, and places stay where parts are written', async () => {
  const { files, diagnostics } = await imported(merging)
  expect(toolsetText({ files })).toContain("limit: { type: 'integer' }")
  expect(toolsetText({ files })).toContain("name: { type: 'string' }")
  expect(toolsetText({ files })).not.toContain('<<')
  expect(diagnostics).toMatchObject([
    { code: 'TG6208', location: { file: 'api.yaml', line: 17, column: 48 } },
    { code: 'TG6005', location: { line: 9 } },
  ])
})

it('defect 7: a pattern with a back reference is left out, a slow one is kept', async () => {
  const reference = await imported(merging.replace("'('", "'(a|b)\\1'"))
  expect(toolsetText(reference)).toContain("name: { type: 'string' }")
  expect(reference.diagnostics[0]).toMatchObject({
    code: 'TG6208',
    message: expect.stringMatching(/^The pattern `\(a\|b\)\\1` at .* is dropped: it has a back reference\.$/),
    location: { file: 'api.yaml', line: 17 },
  })
  const slow = await imported(merging.replace("'('", () => "'^(a+)+$'"))
  expect(toolsetText(slow)).toContain("pattern: '^(a+)+$'")
  expect(slow.diagnostics.map(({ code }) => code)).toEqual(['TG6005'])
})

describe('errors of unreadable texts:', () => {
  const deep = `openapi: 3.0.3\npaths: ${'{a: '.repeat(5_000)}1${'}'.repeat(5_000)}`
  it.each<[string, string, string, string, number | undefined]>([
    ['of two documents', `${merging}---\nopenapi: 3.0.3\n`, 'TG0009', 'a second document begins here', 18],
    ['of a version that is a number', 'openapi: 3.0\npaths: {}', 'TG6201', "`openapi: '3.1.0'`", undefined],
    ['of an older version that is one', 'swagger: 2.0\npaths: {}', 'TG6201', "`swagger: '2.0'`", undefined],
    ['that nests too deep', deep, 'TG0009', 'cannot be read: it is nested too deeply', 2],
    [
      'of values that nest too deep',
      `x: ${'['.repeat(300)}${']'.repeat(300)}`,
      'TG6201',
      'deep at /x/0/0/0/0/0/0/0/0/0/… is',
      undefined,
    ],
  ])('%s', async (_, text, code, message, line) => {
    const { files, diagnostics } = await imported(text)
    expect(files).toEqual([])
    expect(diagnostics).toMatchObject([{ code, severity: 'error', message: expect.stringContaining(message) }])
    expect(diagnostics[0]?.location?.line).toBe(line)
  })
})
