import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { type Project, toolgenCommand } from './project.fixture.js'

/** One line of `generate --watch --json`. */
export interface RunLine {
  readonly exitCode: number
  readonly diagnostics: readonly {
    readonly code: string
    readonly message: string
    readonly location?: { file: string }
  }[]
  readonly upToDate: boolean
  readonly written: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
  readonly milliseconds: number
}

/** A running command in watch mode. */
export interface Watching {
  readonly child: ChildProcess
  /** Resolves with the next unread run. With a condition, resolves with the first run that satisfies it. */
  run(meets?: (run: RunLine) => boolean): Promise<RunLine>
  /** Resolves with the further runs when no run has ended for some milliseconds. */
  rest(milliseconds: number): Promise<readonly RunLine[]>
  /** Returns the output on stderr. */
  notes(): string
  /** Sends a signal and resolves with the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>
}

/** Maximum time for a run, in milliseconds. Only a hanging watch reaches it. */
const longest = 300_000

/** Starts `toolgen generate --watch --json` in a project. */
export function startWatch(project: Pick<Project, 'root'>, ...args: readonly string[]): Watching {
  const child = spawn(
    process.execPath,
    [toolgenCommand, 'generate', '--watch', ...(args.includes('--reporter') ? [] : ['--json']), ...args],
    {
      cwd: project.root,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)))
  const lines: string[] = []
  let wake = (): void => {}
  let notes = ''
  child.stderr.on('data', (text) => {
    notes += String(text)
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    wake()
  })
  const nextLine = (milliseconds: number): Promise<string | undefined> =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        wake = () => {}
        resolve(lines.shift())
      }
      const timer = setTimeout(done, milliseconds)
      wake = done
      if (lines.length > 0) done()
    })
  return {
    child,
    async run(meets = () => true) {
      const met: string[] = []
      for (let line = await nextLine(longest); line !== undefined; line = await nextLine(longest)) {
        const run: RunLine = JSON.parse(line)
        if (meets(run)) return run
        met.push(line)
      }
      throw new Error(`No such run came. ${met.join('\n')} ${notes}`)
    },
    async rest(milliseconds) {
      const runs: RunLine[] = []
      for (let line = await nextLine(milliseconds); line !== undefined; line = await nextLine(milliseconds)) {
        runs.push(JSON.parse(line))
      }
      return runs
    },
    notes: () => notes,
    end(signal = 'SIGTERM') {
      if (child.exitCode === null) child.kill(signal)
      return ended
    },
  }
}
