import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject, type Project, smallProject } from './project.fixture.js'

let project: Project
beforeAll(() => {
  project = createProject(smallProject)
})
afterAll(() => project.remove())

describe('toolgen docs', () => {
  it('prints Markdown and nothing else to standard output, the same each time', () => {
    const { code, stdout, stderr } = project.toolgen('docs')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('## Toolset `orders`\n\nLook up orders.\n')
    expect(stdout).toContain('| `orderId` | string | yes | not empty | Order number |')
    expect(project.toolgen('docs', '--output', '-').stdout).toBe(stdout)
    expect(JSON.parse(project.toolgen('docs', '--json').stdout)).toMatchObject({ format: 'markdown', text: stdout })
  })

  it('shows calls that compile', () => {
    const { stdout } = project.toolgen('docs')
    const snippets = [...stdout.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, snippet = '']) => snippet)
    expect(snippets).toHaveLength(1)
    project.write({
      ...Object.fromEntries(snippets.map((snippet, index) => [`call-${index}.ts`, snippet])),
      'tsconfig.calls.json': '{ "extends": "./tsconfig.json", "include": ["call-*.ts"] }',
    })
    expect(project.toolgen('generate').code).toBe(0)
    expect(project.tsc('-p', 'tsconfig.calls.json')).toMatchObject({ code: 0, stdout: '' })
  })

  it('writes a file, by its name as HTML, and leaves it alone while nothing changes', () => {
    const first = project.toolgen('docs', '--output', 'site/tools.html')
    expect(first).toMatchObject({ code: 0, stdout: '', stderr: 'written: site/tools.html\n' })
    expect(project.read('site/tools.html')).toMatch(/^<!doctype html>\n<!-- Written by `toolgen docs`, [0-9a-f]{16}\./)
    expect(project.toolgen('docs', '--output', 'site/tools.html').stderr).toBe('up to date: site/tools.html\n')
    expect(Object.keys(project.tree()).filter((path) => path.includes('.toolgen'))).toEqual([])
  })

  it.each([
    ['that is not its own', 'README.md', '# Mine\n'],
    ['that was changed by hand', 'tools.md', ''],
  ])('overwrites a file %s only with --force', (_, path, mine) => {
    if (mine === '') project.toolgen('docs', '--output', path)
    const text = mine === '' ? `${project.read(path)}And this.\n` : mine
    project.write({ [path]: text })
    const refused = project.toolgen('docs', '--output', path)
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(/^error TG0020: /)
    expect(project.read(path)).toBe(text)
    expect(project.toolgen('docs', '--output', path, '--force').code).toBe(0)
    expect(project.read(path)).toMatch(/^<!-- Written by `toolgen docs`/)
  })

  it.each(['tools.pdf', 'tools.txt'])('asks what a name with a strange ending means: %s', (name) => {
    const refused = project.toolgen('docs', '--output', name, '--json')
    expect(JSON.parse(refused.stdout).diagnostics[0]).toMatchObject({
      code: 'TG0001',
      next: expect.stringContaining('--format'),
    })
    expect([refused.code, project.has(name)]).toEqual([2, false])
  })

  it('says where it cannot write, --force or not', () => {
    const folder = project.toolgen('docs', '--output', 'design', '--force')
    expect(folder.stderr).toMatch(/^error TG0020: `design` was not written by `toolgen docs`/)
    const below = project.toolgen('docs', '--output', 'package.json/tools.md')
    expect(below.stderr).toMatch(/^error TG0021: Cannot write the catalogue to package\.json: a part of the path/)
    expect([folder.code, below.code]).toEqual([2, 2])
  })

  it.each([
    ['that is broken', { 'design/fields.ts': "throw new Error('red')\n" }],
    [
      'from which its service has drifted',
      { 'src/orders-client.ts': 'export interface OrdersClient { ping(): void }\n' },
    ],
  ])('prints and writes nothing of a design %s, and exits with 3', (_, change) => {
    const broken = createProject({ ...smallProject, ...change })
    const before = broken.tree()
    const printed = broken.toolgen('docs')
    expect(printed).toMatchObject({ code: 3, stdout: '', stderr: expect.stringMatching(/error TG\d{4}: /) })
    expect(broken.toolgen('docs', '--output', 'tools.md').code).toBe(3)
    expect(broken.tree()).toEqual(before)
    broken.remove()
  })
})
