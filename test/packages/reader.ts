import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A block of a page: code that a reader writes to a file, or commands with the output that the page shows. */
export interface Block {
  readonly language: string
  readonly text: string
  /** The output below commands. */
  readonly printed: string | undefined
}

/** Returns the TypeScript and shell blocks of a page, in their order. */
export function blocksOf(page: string): readonly Block[] {
  const blocks = page.matchAll(/^```(ts|sh)\n([\s\S]*?)\n```$(?:\n\n^```text\n([\s\S]*?)\n```$)?/gm)
  return [...blocks].map(([, language = '', text = '', printed]) => ({ language, text, printed }))
}

/** Simulates a person who follows a page, in a clone of the repository with packed packages, and in projects next to the clone. */
export class Reader {
  readonly #folder: string
  readonly #installed: string
  readonly #model: ChildProcess
  #cwd: string
  #modelUrl = ''

  /**
   * @param folder absolute path; contains the tarballs in `packed/tarballs`
   * @param installed a folder `node_modules` with the contents of the tarballs and their dependencies
   */
  constructor(folder: string, installed: string) {
    this.#folder = realpathSync(folder)
    this.#installed = realpathSync(installed)
    this.#cwd = this.#clone
    cpSync(join(installed, '@toolgen/codegen'), join(this.#clone, 'packages/codegen'), { recursive: true })
    symlinkSync(this.#installed, join(this.#clone, 'node_modules'))
    this.#model = spawn(process.execPath, [fileURLToPath(new URL('scripted-model.mjs', import.meta.url))])
  }

  get #clone(): string {
    return join(this.#folder, 'clone')
  }

  /** Resolves when the model server of the reader accepts requests. */
  async ready(): Promise<void> {
    const port = await new Promise((listening) => this.#model.stdout?.once('data', listening))
    this.#modelUrl = `http://127.0.0.1:${port}/v1`
  }

  close(): void {
    this.#model.kill()
  }

  /** Writes a block of code to the file that its first line names. */
  write(text: string): void {
    const [head = '', ...lines] = text.split('\n')
    const [, path = '', where] = /^\/\/ ([\w./-]+)(?:, (.*))?$/.exec(head) ?? []
    const file = join(this.#cwd, path)
    const code = `${lines.join('\n')}\n`
    if (where === undefined) writeFileSync(file, code)
    else if (where === 'at its end') appendFileSync(file, code)
    else if (where === 'at its beginning') writeFileSync(file, `${code}${readFileSync(file, 'utf8')}`)
    else writeFileSync(file, inserted(code, where, readFileSync(file, 'utf8')))
  }

  /**
   * Runs commands and returns their output.
   *
   * @param shown the output on the page. If it is `undefined`, returns only the output of a failed command
   */
  run(text: string, shown: string | undefined): string {
    const commands = text.split('\n').flatMap((line) => line.split(' && '))
    const printed = commands
      .map((command) => this.#command(command))
      .join('')
      .trimEnd()
    return shown === undefined && !/ ended with \d+\.$/.test(printed) ? '' : printed
  }

  #command(command: string): string {
    const [program, word = '', ...args] = command.split(' ')
    // Pages tell readers to return to the clone before this command.
    if (command.startsWith('node packages/')) this.#cwd = this.#clone
    if (program === 'cd') {
      this.#cwd = resolve(this.#cwd, word)
      return ''
    }
    if (program === 'npm' && word === 'install') {
      this.#install(args)
      return ''
    }
    const env = {
      ...process.env,
      NO_COLOR: '1',
      // Hides the output of npm about the scripts that it runs.
      npm_config_loglevel: 'silent',
      NODE_OPTIONS: `--import ${new URL('scripted-gateway.mjs', import.meta.url)}`,
      OPENAI_BASE_URL: this.#modelUrl,
      OPENAI_API_KEY: 'key',
    }
    const { stdout, status } = spawnSync('sh', ['-c', `exec 2>&1\n${command}`], {
      cwd: this.#cwd,
      env,
      encoding: 'utf8',
    })
    return status === 0 ? stdout : `${stdout}\n\`${command}\` ended with ${status}.`
  }

  /** Links the packages that `npm install` would install: the dependencies in package.json, and the named packages. */
  #install(words: readonly string[]): void {
    const manifest = JSON.parse(readFileSync(join(this.#cwd, 'package.json'), 'utf8'))
    const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
    for (const word of words) {
      if (word.endsWith('.tgz')) tarballs(resolve(this.#cwd, word))
      else names.push(word)
    }
    for (const name of names) link(join(this.#installed, name), join(this.#cwd, 'node_modules', name))
    const programs = {
      toolgen: join(this.#installed, '@toolgen/codegen/bin/toolgen.js'),
      tsc: join(root, 'node_modules/typescript-7/bin/tsc'),
    }
    for (const [name, script] of Object.entries(programs)) {
      const file = join(this.#cwd, 'node_modules/.bin', name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`)
      chmodSync(file, 0o755)
    }
  }
}

/** Checks that a pattern matches the tarballs of the packages that a project needs, and of the studio. */
function tarballs(pattern: string): void {
  const expected = ['codegen', 'dsl', 'runtime', 'studio'].map((name) => new RegExp(`^toolgen-${name}-[\\d.]+\\.tgz$`))
  const matches = readdirSync(dirname(pattern))
    .filter((name) => /^toolgen-.*\.tgz$/.test(name))
    .sort()
  const isComplete =
    matches.length === expected.length && expected.every((each, index) => each.test(matches[index] ?? ''))
  if (!pattern.endsWith('/packed/tarballs/toolgen-*.tgz') || !isComplete) {
    throw new Error(`${pattern} matches ${matches.join(', ')}`)
  }
}

function link(from: string, target: string): void {
  if (existsSync(target)) return
  mkdirSync(dirname(target), { recursive: true })
  symlinkSync(realpathSync(from), target)
}

/** Inserts code at the position that the page describes. */
function inserted(code: string, where: string, before: string): string {
  const places: Readonly<Record<string, RegExp>> = {
    'in `tools`': /(?<=^ {2}tools: \{\n)/m,
    'in the class': /(?=^\}\n$(?![\s\S]))/m,
  }
  const place = places[where]
  if (place?.test(before) !== true) throw new Error(`The page inserts code ${where}, which is not found.`)
  return before.replace(place, () => code)
}

/** Removes times from output. */
export function withoutTimes(text: string): string {
  return text.replace(/\((?:\d+ ms|[\d.]+ s)\)/g, '(some time)')
}
