import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runnableCommands } from '../cli/cli-page.js'
import { examplesOf, filesOf, languagesOf } from './examples-of.js'
import { llmsPackages } from './llms-txt.js'
import { root, type SnippetProject, snippetProject } from './snippet-project.js'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const skillPath = 'packages/dsl/skills/toolgen/SKILL.md'
const skill = read(skillPath)
const llmsFiles = llmsPackages.map((name) => `packages/${name}/llms.txt`)
const commands = runnableCommands()

describe('the skill', () => {
  let project: SnippetProject
  beforeAll(() => {
    project = snippetProject(filesOf(skill))
  })
  afterAll(() => project.remove())

  it('has front matter that agents read', () => {
    const [, name, description = ''] = /^---\nname: ([a-z-]+)\ndescription: (.*)\n---\n/.exec(skill) ?? []
    expect(skillPath).toContain(`/skills/${name}/SKILL.md`)
    expect(description).toMatch(/ Use when /)
    expect(description.length).toBeLessThan(1024)
  })

  it('names the file of every example', () => {
    expect(Object.keys(filesOf(skill))).toHaveLength(examplesOf(skillPath, skill).length)
    expect(new Set(languagesOf(skill))).toEqual(new Set(['ts', 'text']))
  })

  it('has examples that generate, type-check and print its output', () => {
    expect(project.generate()).toMatchObject({ status: 0, stdout: '' })
    expect(project.compile()).toMatchObject({ status: 0, stdout: '' })
    const prints = examplesOf(skillPath, skill).flatMap((example) => (example.prints === undefined ? [] : [example]))
    expect(prints.map(({ code }) => code.split('\n')[0])).toEqual(['// src/main.ts'])
    expect(project.run('dist/src/main.js')).toEqual({ status: 0, stdout: `${prints[0]?.prints}\n`, stderr: '' })
  })

  it('describes fields of tools and options of uses that exist', () => {
    const [, rows = ''] = /^\| field of a tool .*\n\|.*\n((?:\|.*\n)+)/m.exec(skill) ?? []
    const interfaces = /^export interface Tool(?:Definition|Properties)\b[\s\S]*?^\}/gm
    const body = (read('packages/dsl/src/tool.ts').match(interfaces) ?? []).join('\n')
    const names = [...rows.matchAll(/^\| ([^|]*) \|/gm)].flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)])
    expect(names.length).toBeGreaterThan(8)
    expect(names.filter(([, name]) => !new RegExp(`^ {2}readonly ${name}\\??:`, 'm').test(body))).toEqual([])
  })
})

describe('the files for coding agents', () => {
  it('have at most 1,500 words in the packages', () => {
    const words = [skillPath, ...llmsFiles].flatMap((path) => read(path).split(/\s+/).filter(Boolean))
    expect(words.length).toBeLessThanOrEqual(1500)
  })

  it.each([skillPath, ...llmsFiles, 'AGENTS.md'])('%s names commands and options that exist', (path) => {
    for (const line of commandLinesOf(read(path)))
      expect({ line, problems: problemsOf(line) }).toEqual({ line, problems: [] })
  })

  it('finds wrong commands', () => {
    const text =
      '`npx toolgen bake`, `toolgen lint --watch`\n\n```sh\ntoolgen generate --wacth && npx toolgen check\n```\n'
    expect(commandLinesOf(text).map(problemsOf)).toEqual([
      ['unknown command: bake'],
      ['unknown option of lint: --watch'],
      ['unknown option of generate: --wacth'],
      [],
    ])
    expect(commandLinesOf(skill).length).toBeGreaterThan(10)
  })

  it.each([skillPath, ...llmsFiles, 'AGENTS.md'])('%s names diagnostics that exist', (path) => {
    const catalogue = read('packages/codegen/diagnostics.md')
    const codes = [...read(path).matchAll(/TG\d+/g)].map(([code]) => code)
    expect(codes.filter((code) => !catalogue.includes(`## ${code}: `))).toEqual([])
    if (path === skillPath) expect(new Set(codes).size).toBeGreaterThan(10)
  })

  it('list every entry of the runtime', () => {
    const { exports } = JSON.parse(read('packages/runtime/package.json'))
    const text = read('packages/runtime/llms.txt')
    const entries = Object.keys(exports).filter((path) => path !== './package.json')
    expect(entries.filter((path) => !text.includes(`${path.slice(1)}\``))).toEqual([])
  })

  it('are shipped', () => {
    for (const name of llmsPackages) {
      const { files } = JSON.parse(read(`packages/${name}/package.json`))
      expect(files).toContain('llms.txt')
      if (name === 'dsl') expect(files).toContain('skills')
    }
  })

  it('AGENTS.md names scripts and paths that exist', () => {
    const text = read('AGENTS.md')
    const { scripts } = JSON.parse(read('package.json'))
    const named = [...text.matchAll(/npm (?:run )?([a-z:]+)/g)].map(([, script = '']) => script)
    expect(named.length).toBeGreaterThan(4)
    expect(named.filter((script) => !(script in scripts))).toEqual([])
    const paths = [...text.matchAll(/(?<![\w/])((?:packages|test|docs)\/[\w./-]+)/g)].map(([, path = '']) => path)
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})

/** Returns the commands of `toolgen` in the code of a text, each without what follows `--` or a shell operator. */
function commandLinesOf(text: string): readonly string[] {
  const code = [...text.matchAll(/^```(?:sh|text)\n([\s\S]*?)^```$|`([^`\n]+)`/gm)].map(
    ([, block, inline]) => block ?? inline ?? '',
  )
  return code
    .flatMap((each) => each.split(/\n|&&|\|/))
    .map((line) => line.trim())
    .flatMap((line) => /^(?:npx )?(toolgen [a-z].*)$/.exec(line)?.[1] ?? [])
    .map((line) => line.replace(/ -- .*| #.*/, ''))
}

/** Returns what is wrong with a command line. */
function problemsOf(line: string): readonly string[] {
  const path = [...commands.keys()].find((each) => `${line} `.startsWith(`${each} `))
  if (path === undefined) return [`unknown command: ${line.split(' ')[1]}`]
  const known = commands.get(path)?.options.flatMap(({ short, long }) => [short, long]) ?? []
  return line
    .split(' ')
    .filter((word) => /^--?[a-z]/.test(word) && !known.includes(word))
    .map((option) => `unknown option of ${path.replace('toolgen ', '')}: ${option}`)
}
