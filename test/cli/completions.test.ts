import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject, type Project, toolgenCommand } from './project.fixture.js'

const tools = `import { Runtime, tool, toolset } from '@toolgen/runtime'
import { answer } from '@toolgen/runtime/agents'
const status = { enum: ['open', 'shipped'] }
const parameters = { type: 'object', properties: { text: { type: 'string' }, status, exact: { type: 'boolean' } } }
const search = tool({ name: 'search', description: 'Search.', parameters, run: async () => 1 })
const stop = tool({ name: 'stop', description: 'Stop.', parameters: { type: 'object' }, run: async () => 1 })
const agent = { name: 'clerk', description: 'Clerk.' }
console.log('loaded')
const planner = () => answer('Done.')
export default new Runtime().registerAgent(agent, [toolset('orders', search, stop)], { planner })
`

let project: Project
let scripts: string
beforeAll(() => {
  project = createProject({
    'package.json': '{}',
    'design/a b.ts': '',
    'docs/tools.md': '',
    'dist/x.js': '',
    'tools.ts': tools,
    'toolgen.config.ts': `export default { design: 'design/a b.ts', module: 'tools.ts' }`,
  })
  scripts = mkdtempSync(join(tmpdir(), 'toolgen-completions-'))
  mkdirSync(join(scripts, 'bin'))
  const command = `#!/bin/sh\nexec '${process.execPath}' '${toolgenCommand}' "$@"\n`
  writeFileSync(join(scripts, 'bin/toolgen'), command, { mode: 0o755 })
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout, stderr } = project.toolgen('completions', shell)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    writeFileSync(join(scripts, shell), stdout)
  }
})
afterAll(() => {
  project.remove()
  rmSync(scripts, { recursive: true })
})

/** What a shell offers after some words, of which the last is begun. */
type Ask = (...words: readonly string[]) => readonly string[]

const asks: Readonly<Record<'bash' | 'fish', Ask>> = {
  bash: (...words) => {
    const script = `source "$0"; COMP_WORDS=(toolgen "$@"); COMP_CWORD=$#; _toolgen; printf '%s\\n' "\${COMPREPLY[@]}"`
    return shell('bash', ['--norc', '-c', script, join(scripts, 'bash'), ...words])
  },
  fish: (...words) => {
    const line = `toolgen ${words.join(' ')}`
    return shell('fish', ['-N', '-c', `source ${join(scripts, 'fish')}; complete -C '${line}'`]).map(
      (candidate) => candidate.split('\t')[0] ?? '',
    )
  },
}

function shell(name: string, args: readonly string[]): readonly string[] {
  const PATH = [join(scripts, 'bin'), process.env.PATH].join(delimiter)
  const { stdout, stderr } = spawnSync(name, args, {
    cwd: project.root,
    encoding: 'utf8',
    env: { ...process.env, PATH },
  })
  expect(stderr).toBe('')
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .sort()
}

const isThere = (name: string): boolean => spawnSync(name, ['-c', 'true']).status === 0

/** The commands that the help of a command lists. */
function listed(...path: readonly string[]): readonly string[] {
  const help = project.toolgen(...path, '--help').stdout
  const [, commands = ''] = /\nCommands:\n((?: {2}.*\n)+)/.exec(help) ?? []
  return [...commands.matchAll(/^ {2}(\S+)/gm)].map(([, name = '']) => name).sort()
}

/** The long options that the help of a command lists. */
function options(...path: readonly string[]): readonly string[] {
  const help = project.toolgen(...path, '--help').stdout
  return [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, name = '']) => name).sort()
}

describe.each(['bash', 'fish'] as const)('in %s', (name) => {
  describe.skipIf(!isThere(name))('where it is installed', () => {
    const ask = asks[name]

    it('offers the commands that the help lists', () => {
      expect(ask('')).toEqual(listed())
      expect(ask('import', '')).toEqual(listed('import'))
      expect(ask('ch')).toEqual(['check'])
    })

    it.each([[['generate']], [['check']], [['docs']], [['import', 'mcp']]])('offers the options of %j', (path) => {
      const offered = ask(...path, '--').filter((option) => option.startsWith('--'))
      expect(offered).toEqual(options(...path))
    })

    it('offers the choices of options and arguments', () => {
      expect(ask('check', '--reporter', '')).toEqual(['github', 'json', 'pretty'])
      expect(ask('docs', '--format', 'h')).toEqual(['html'])
      expect(ask('completions', '')).toEqual(['bash', 'fish', 'zsh'])
      expect(ask('lint', '--rule', 'unp')).toEqual(['unplumbed-id'])
      expect(ask('explain', 'TG500')).toContain('TG5001')
    })

    it('offers files for files', () => {
      expect(ask('generate', '--config', 'pack')).toEqual(['package.json'])
      expect(ask('serve', 'docs/to')).toEqual(['docs/tools.md'])
    })

    it('offers the tools, fields and agents of the project', () => {
      expect(ask('call', '')).toEqual(['orders.search', 'orders.stop'])
      expect(ask('call', 'orders.st')).toEqual(['orders.stop'])
      const fields = ['exact=false', 'exact=true', 'status=open', 'status=shipped', 'text=']
      expect(ask('call', 'orders.search', '')).toEqual(fields)
      expect(ask('call', 'search', 'text=x', 's')).toEqual(['status=open', 'status=shipped'])
      expect(ask('call', 'none', '')).toEqual([])
      expect(ask('call', '-m', 'tools.ts', 'orders.se')).toEqual(['orders.search'])
      expect(ask('run', 'c')).toEqual(['clerk'])
      expect(ask('run', 'clerk', '')).toEqual([])
    })

    it('offers nothing where anything may be written', () => {
      expect(ask('check', '--url', '')).toEqual([])
    })
  })
})

describe.skipIf(!isThere('bash'))('in bash', () => {
  const ask = asks.bash

  it('offers folders alone for folders, and names with spaces as one word', () => {
    expect(ask('init', '--dir', 'd')).toEqual(['design', 'dist', 'docs'])
    expect(ask('generate', '--config', 'design/')).toEqual(['design/a b.ts'])
  })

  it('takes the = of --reporter=json for what it is', () => {
    expect(ask('check', '--reporter', '=', 'j')).toEqual(['json'])
    expect(ask('check', '--reporter', '=')).toEqual(['github', 'json', 'pretty'])
  })

  it('offers the values of a field after its =', () => {
    expect(ask('call', 'orders.search', 'status', '=', 'o')).toEqual(['open'])
    expect(ask('call', 'orders.search', 'status', '=')).toEqual(['open', 'shipped'])
    expect(ask('call', 'orders.search', 'text', '=', '')).toEqual([])
    expect(ask('call', 'orders.search', 'status', '=', 'open', 'e')).toEqual(['exact=false', 'exact=true'])
  })

  it('completes npx toolgen too, and leaves other words behind npx to bash', () => {
    const askNpx: Ask = (...words) => {
      const script = `source "$0"; complete -p npx; COMP_WORDS=(npx "$@"); COMP_CWORD=$#; _toolgen_npx; printf '%s\\n' "\${COMPREPLY[@]}"`
      return shell('bash', ['--norc', '-c', script, join(scripts, 'bash'), ...words])
    }
    const registered = 'complete -o bashdefault -o default -F _toolgen_npx npx'
    expect(askNpx('toolgen', 'import', '')).toEqual([...listed('import'), registered].sort())
    expect(askNpx('other', '')).toEqual([registered])
    expect(askNpx('tool')).toEqual([registered])
  })

  it('leaves npx alone where something completes it already', () => {
    const script = 'complete -W mine npx; source "$0"; complete -p npx'
    expect(shell('bash', ['--norc', '-c', script, join(scripts, 'bash')])).toEqual(["complete -W 'mine' npx"])
  })

  it('offers files behind --, where another command stands', () => {
    expect(ask('check', '--live', 'files', '--', 'pack')).toEqual(['package.json'])
  })
})

it.skipIf(!isThere('zsh'))('the script for zsh is one', () => {
  expect(spawnSync('zsh', ['-n', join(scripts, 'zsh')], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
})

it('the scripts name every command and option, for shells that are not installed here', () => {
  const zsh = project.toolgen('completions', 'zsh').stdout
  for (const option of options('docs')) expect(zsh).toContain(option)
  for (const command of listed()) expect(zsh).toContain(`${command}) _toolgen_${command} ;;`)
})

it('an unknown shell is a wrong command line', () => {
  expect(project.toolgen('completions', 'csh')).toMatchObject({ code: 2, stdout: '' })
})
