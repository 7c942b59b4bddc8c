import { describe, expect, it } from 'vitest'
import { importOpenApi } from '../../packages/codegen/src/imports/openapi.js'
import { hasData } from '../data.js'
import { sourceOf } from './documents.fixture.js'

// `npm run bench -- generate` generates all of it and type-checks the result.
describe.skipIf(!hasData)('the OpenAPI document of GitHub (needs the data folder)', () => {
  it('is imported, all 1,223 operations, and nothing but other names is told', async () => {
    const imported = await importOpenApi('github', sourceOf('github.json.gz'))
    expect([imported.tools, imported.described]).toEqual([1223, 1215])
    expect(new Set(imported.diagnostics.map(({ code }) => code))).toEqual(new Set(['TG6006', 'TG6206']))
    expect(imported.diagnostics.filter(({ code }) => code === 'TG6206')).toHaveLength(5)
  })

  it('is imported to the same bytes with a recorded selection', async () => {
    const source = sourceOf('github.json.gz')
    const select = { tags: ['issues'], paths: ['/gists*'], operations: ['meta/root'] }
    const first = await importOpenApi('github', source, { select })
    expect(first.tools).toBeGreaterThan(60)
    expect(first.files[0]?.text.length).toBeLessThan(source.text.length / 20)
    const again = await importOpenApi('github', source, { earlier: first.files[0]?.text ?? '' })
    expect(again.files).toEqual(first.files)
  })
})
