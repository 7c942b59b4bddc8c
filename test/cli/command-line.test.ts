import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject, type Project, smallProject, toolgenCommand } from './project.fixture.js'

// Every test starts the command; a busy machine needs its time.
let project: Project
beforeAll(() => {
  project = createProject({ ...smallProject, 'design/orders.ts': `throw new Error('red')\n` })
})
afterAll(() => project.remove())

describe('a wrong command line', () => {
  it.each([
    [['generate', '--forse'], 'Did you mean `--force`?'],
    [['genrate'], 'Did you mean `generate`?'],
    [['gen'], 'Did you mean `generate`?'],
    [['generate', 'extra'], 'Run `toolgen generate --help` for its arguments and options.'],
    [['generate', '--config'], 'toolgen generate --help'],
    [['generate', '--config', '--verbose'], '`-c, --config <file>` requires a value.'],
    [['generate', '--config', '--verbose=x'], '`-c, --config <file>` requires a value.'],
    [['generate', '--config', '--help'], '`-c, --config <file>` requires a value.'],
    [['generate', '--config', '--vebrose'], "must not begin with `-`: '--vebrose'."],
    [
      ['generate', '--config=-x.ts'],
      "error TG0001: The value of `-c, --config <file>` must not begin with `-`: '-x.ts'.",
    ],
    [['generate', '--watch', '--time-limit', '-5'], '--time-limit must be a number of seconds, not `-5`.'],
    [['generate', '--cwd', '-c'], 'toolgen generate --help'],
    [['init', '--toolset', '--yes'], 'toolgen init --help'],
    [['explain'], 'The argument `<code>` is missing.'],
    [['check', '--reporter', 'xml'], 'toolgen check --help'],
    [['import', 'functions'], 'toolgen import functions --help'],
    [['nothing'], 'Run `toolgen --help` for the commands and options.'],
  ])('%j exits with 2 and says what to do', (args, next) => {
    const { code, stdout, stderr } = project.toolgen(...args)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^error TG0001: /)
    expect(stderr).toContain(next)
    const [command = '', ...rest] = args
    const report = JSON.parse(project.toolgen(command, '--json', ...rest).stdout)
    expect(report).toMatchObject({ exitCode: 2, diagnostics: [{ code: 'TG0001' }] })
  })

  it('whose last option lacks its value still speaks JSON when it was asked to', () => {
    const { code, stdout } = project.toolgen('generate', '--config', '--json')
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({
      diagnostics: [{ code: 'TG0001', message: '`-c, --config <file>` requires a value.' }],
    })
  })

  it('that asks for two ways to show findings is refused', () => {
    const { code, stdout } = project.toolgen('check', '--json', '--reporter', 'pretty')
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({ diagnostics: [{ code: 'TG0001' }] })
  })

  it('with an option before its command says where options stand', () => {
    const { code, stderr } = project.toolgen('--cwd', '.', 'generate')
    expect(code).toBe(2)
    expect(stderr).toContain('Options follow the command: `toolgen generate --cwd`.')
  })

  it('without a command shows the help and exits with 2', () => {
    const { code, stdout, stderr } = project.toolgen()
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('Usage: toolgen')
  })
})

describe('a current folder that was deleted', () => {
  it('is said so', () => {
    const line = `mkdir gone && cd gone && rmdir ../gone && exec '${process.execPath}' '${toolgenCommand}' generate`
    const { status, stderr } = spawnSync('sh', ['-c', line], { cwd: project.root, encoding: 'utf8' })
    expect(status).toBe(2)
    expect(stderr).toMatch(/^error TG0007: /)
    expect(stderr).not.toMatch(/^\s+at /m)
  })
})

describe('help and version', () => {
  it('go to standard output and exit with 0', () => {
    expect(project.toolgen('--version')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    })
    const help = project.toolgen('--help')
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const name of ['generate', 'check', 'inspect', 'explain', 'init']) expect(help.stdout).toContain(`  ${name} `)
    expect(help.stdout).toContain('4  generated files that are outdated or edited')
  })

  it('are printed by the word help too', () => {
    expect(project.toolgen('help')).toEqual(project.toolgen('--help'))
    expect(project.toolgen('help', 'docs')).toEqual(project.toolgen('docs', '--help'))
    expect(project.process('help', '--help')).toEqual(project.process('--help'))
  })

  it('fits a terminal: at most 40 lines for all commands, and examples of at most 100 columns', () => {
    const { stdout } = project.toolgen('--help')
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(40)
    const texts: Readonly<Record<string, unknown>> = JSON.parse(
      readFileSync(new URL('../../packages/codegen/templates/commands.json', import.meta.url), 'utf8'),
    )
    for (const name of Object.keys(texts)) {
      const words = name === 'toolgen' ? [] : name.split(' ')
      const lines = project.toolgen(...words, '--help').stdout.split('\n')
      expect(lines.filter((line) => line.length > 100)).toEqual([])
    }
  })

  it('names what may stand in the place of an argument', () => {
    expect(project.toolgen('completions', '--help').stdout).toMatch(/ shell {2,}.*"bash", "zsh", "fish"/)
    expect(project.toolgen('explain', '--help').stdout).toMatch(/ code {2,}code such as TG5001 or 5001/)
  })
})

describe('explain', () => {
  it('prints the long form of a code, however it is written', () => {
    const { code, stdout } = project.toolgen('explain', 'tg5001')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^TG5001: A generated file was changed by hand\n\n/)
    expect(stdout).toContain('toolgen generate --force')
    for (const written of ['5001', 'TG5001']) expect(project.toolgen('explain', written).stdout).toBe(stdout)
    expect(JSON.parse(project.toolgen('explain', 'TG5001', '--json').stdout)).toMatchObject({ code: 'TG5001' })
  })

  it('prints the subject, severity and category of a rule of toolgen diff', () => {
    expect(project.toolgen('explain', 'payload-field-removed').stdout).toMatch(
      /^payload-field-removed: The payload no longer declares a field\n\nSeverity: breaking\. Category: code \(callers of generated code\)\. /,
    )
    expect(project.toolgen('explain', 'failure-data-changed').stdout).toContain(
      ': The failure has gained or lost its data schema',
    )
  })

  it('prints lists as in the documentation, with indented code', () => {
    const { stdout } = project.toolgen('explain', 'TG4202')
    expect(stdout).toContain('What to do\nChoose one of these:\n\n- Make the field optional in the tool.\n- If')
    expect(stdout).toContain(':\n\n      toolsets: { orders: ')
  })

  it.each(['TG5091', '__proto__', 'constructor', ''])('knows no %j', (code) => {
    const ran = project.toolgen('explain', code)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('TG0003')
  })

  it('offers near codes', () => {
    for (const code of ['TG5091', '5091']) {
      expect(project.toolgen('explain', code).stderr).toContain('Did you mean `TG5001`?')
    }
  })
})

describe('colours', () => {
  /** Runs under a terminal, as far as `script` makes one. */
  const onTerminal = (environment: string, ...args: readonly string[]): string => {
    const line = [`${environment} '${process.execPath}' '${toolgenCommand}'`, ...args].join(' ')
    return spawnSync('script', ['-qec', line, '/dev/null'], { cwd: project.root, encoding: 'utf8' }).stdout
  }
  const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0
  const colour = '\u001b['

  it('are off where output is no terminal', () => {
    expect(project.toolgen('generate').stderr).not.toContain(colour)
  })

  it.skipIf(!hasTerminal)('are on for a terminal, and off when nobody wants them', () => {
    expect(onTerminal('TERM=xterm NO_COLOR=', 'generate')).toContain(colour)
    expect(onTerminal('TERM=xterm NO_COLOR=1', 'generate')).not.toContain(colour)
    expect(onTerminal('TERM=dumb NO_COLOR=', 'generate')).not.toContain(colour)
    expect(onTerminal('TERM=xterm NO_COLOR=', 'generate', '--no-color')).not.toContain(colour)
  })
})

describe('a bug in toolgen', () => {
  /** Breaks the generator from outside: the first look for a configuration fails in a way that it cannot know. */
  const breaking = `data:text/javascript,${encodeURIComponent(`
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const statSync = fs.statSync
    fs.statSync = (path, options) => { if (String(path).includes('toolgen.config')) throw new TypeError('broken\\nsecond line'); return statSync(path, options) }
    syncBuiltinESMExports()
  `)}`

  it('is one line and exits with 1; the stack comes only on request', () => {
    const args = ['--import', breaking, toolgenCommand, 'generate']
    const quiet = project.node(args)
    expect(quiet.code).toBe(1)
    expect(quiet.stderr).toBe(
      'error TG9000: This is a bug in toolgen: TypeError: broken\n  do: Report the bug with its stack trace, which TOOLGEN_DEBUG=1 prints.\n\n',
    )
    expect(project.node(args, { TOOLGEN_DEBUG: '1' }).stderr).toMatch(/^\s+at /m)
  })
})

describe('standard output on a disk that is full', () => {
  it.runIf(existsSync('/dev/full')).each([['docs'], ['inspect', '--json'], ['--help']])(
    'is told of, with the exit code of an error: %s',
    (...args) => {
      const line = `exec '${process.execPath}' '${toolgenCommand}' ${args.join(' ')} > /dev/full`
      const whole = createProject(smallProject)
      const { status, stderr } = spawnSync('sh', ['-c', line], { cwd: whole.root, encoding: 'utf8' })
      whole.remove()
      expect(status).toBe(2)
      if (args[0] !== '--help') expect(stderr).toContain('error TG0038: Cannot write to standard output')
    },
  )
})

describe('what a design prints or leaves running', () => {
  it('never reaches standard output and never keeps the command alive', () => {
    const noisy = createProject({
      ...smallProject,
      'design/fields.ts': `console.log('noise')\nprocess.stdout.write('more')\nsetInterval(() => {}, 1000)\n${smallProject['design/fields.ts']}`,
    })
    const { code, stdout, stderr } = noisy.process('inspect', '--json')
    noisy.remove()
    expect(code).toBe(0)
    expect(stderr).toBe('noise\nmore')
    expect(JSON.parse(stdout).agents[0].name).toBe('support')
  })
})
