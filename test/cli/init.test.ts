import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createProject, type Project } from './project.fixture.js'

// Every test starts the command, which reads types; a busy machine needs its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let project: Project
beforeAll(() => {
  project = createProject()
})
afterAll(() => project.remove())

describe('toolgen init', () => {
  it('refuses names and folders that its example could not have', () => {
    for (const args of [
      ['--toolset', 'class'],
      ['--toolset', 'a b'],
      ['--agent', '../x'],
      ['--design', '../x'],
      ['--output', '/abs'],
      ['--toolset', 'same', '--agent', 'same'],
      ['--output', 'design'],
    ]) {
      const { code, stderr } = project.toolgen('init', '--yes', ...args)
      expect(stderr).toContain('TG0001')
      expect(code).toBe(2)
    }
    expect(project.tree()).toEqual({})
  })

  it('writes a project that generates, checks, compiles and runs', () => {
    const { code, stderr } = project.toolgen('init', '--yes', '--toolset', 'shop', '--agent', 'assistant')
    expect(code).toBe(0)
    expect(stderr).toContain('npm install && npm start')
    expect(Object.keys(project.tree()).sort()).toEqual([
      'design/assistant.agent.ts',
      'design/clients.ts',
      'design/shop.ts',
      'package.json',
      'src/main.ts',
      'src/shop-client.ts',
      'toolgen.config.ts',
      'tsconfig.json',
    ])
    expect(project.toolgen('generate')).toMatchObject({ code: 0, stdout: '' })
    expect(project.toolgen('check')).toMatchObject({ code: 0, stdout: '' })
    expect(project.tsc('-p', '.')).toMatchObject({ code: 0, stdout: '' })
    expect(project.node(['dist/src/main.js']).stdout).toBe(
      'I-3 Cup: 6.2 euros\nI-1 Lamp: 19.5 euros\nThere is no item I-99. Try another way.\n',
    )
  })

  it('overwrites nothing: it lists what is in the way and writes nothing', () => {
    const before = project.tree()
    const { code, stderr } = project.toolgen('init', '--yes', '--toolset', 'other', '--agent', 'assistant')
    expect(code).toBe(2)
    expect(stderr).toContain('TG0002')
    for (const path of ['toolgen.config.ts', 'design/clients.ts', 'design/assistant.agent.ts', 'src/main.ts']) {
      expect(stderr).toContain(`- ${path}`)
    }
    expect(project.tree()).toEqual(before)
  })

  it('keeps a package.json and a tsconfig.json that exist, and makes the folder that it is told', () => {
    project.write({ 'sub/package.json': '{}', 'sub/tsconfig.json': '{}' })
    const ran = project.toolgen('init', '--json', '--dir', 'sub', '--design', 'src/design', '--output', 'src/gen')
    expect(JSON.parse(ran.stdout)).toMatchObject({
      exitCode: 0,
      written: expect.arrayContaining(['src/design/orders.ts']),
    })
    expect(project.read('sub/package.json')).toBe('{}')
    expect(project.read('sub/tsconfig.json')).toBe('{}')
    expect(project.read('sub/src/design/clients.ts')).toContain("'../../src/orders-client.js'")
    expect(project.toolgen('init', '--dir', 'sub/tsconfig.json').stderr).toContain('TG0006')
  })
})
