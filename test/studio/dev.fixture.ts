import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { type Project, plainEnvironment, toolgenCommand } from '../cli/project.fixture.js'
import { Client } from './shop.fixture.js'

interface Line {
  readonly exitCode: number
  readonly diagnostics: readonly { readonly code: string; readonly message: string }[]
  readonly url?: string
  readonly tools?: number
}

/** A running `toolgen dev --json`. */
export class Dev {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  notes = ''
  readonly #lines: AsyncIterator<string>

  constructor(project: Project, ...args: readonly string[]) {
    const options = { cwd: project.root, env: plainEnvironment() }
    this.child = spawn(process.execPath, [toolgenCommand, 'dev', '--json', '--no-open', ...args], options)
    this.ended = new Promise((resolve) => this.child.on('exit', (code) => resolve(code)))
    this.child.stderr?.on('data', (text) => {
      this.notes += String(text)
    })
    if (this.child.stdout === null) throw new Error('The command has no output.')
    this.#lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
    onTestFinished(async () => {
      this.child.kill('SIGKILL')
      await this.ended
    })
  }

  /** The next line; with a condition, the first that meets it. */
  async line(meets: (line: Line) => boolean = () => true): Promise<Line> {
    for (;;) {
      const { done, value } = await this.#lines.next()
      if (done === true) throw new Error(`The command has ended. ${this.notes}`)
      const line: Line = JSON.parse(value)
      if (meets(line)) return line
    }
  }

  async client(): Promise<Client> {
    const { url = '' } = await this.line()
    return new Client({ url })
  }
}
