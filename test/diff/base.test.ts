import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBase } from '../../packages/codegen/src/contracts/compare.js'
import { createProject, type Project } from '../cli/project.fixture.js'

let repository: Project
let worktree: string

/** Runs Git in the repository, whatever the machine's configuration says. */
function git(...args: readonly string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false']
  return execFileSync('git', [...who, ...args], { cwd: repository.root, env, encoding: 'utf8' })
}

beforeAll(() => {
  repository = createProject({ 'README.md': 'Shop\n' })
  git('init', '-q', '-b', 'main')
  git('add', 'README.md')
  git('commit', '-q', '-m', 'Nothing yet')
  git('tag', 'empty')
  repository.write({ 'apps/shop/gen/toolgen.lock.json': 'first', 'old/toolgen.lock.json': 'old' })
  git('add', 'apps', 'old')
  git('commit', '-q', '-m', 'First')
  git('tag', 'v1')
  repository.write({ 'apps/shop/gen/toolgen.lock.json': 'second' })
  git('commit', '-q', '-a', '-m', 'Second')
  worktree = realpathSync(mkdtempSync(join(tmpdir(), 'toolgen-worktree-')))
  git('worktree', 'add', '-q', '--detach', join(worktree, 'tree'), 'v1')
  repository.write({ 'apps/shop/gen/toolgen.lock.json': 'not committed', 'apps/shop/v1/toolgen.lock.json': 'beside' })
})
afterAll(() => {
  repository.remove()
  rmSync(worktree, { recursive: true, force: true })
})

/** What the base is, or the code of what is wrong with it. */
async function baseOf(
  base: string | undefined,
  root = join(repository.root, 'apps/shop'),
  output = 'gen',
): Promise<unknown> {
  const found = await findBase({ cwd: root, root, output, ...(base !== undefined && { base }) })
  return found.value?.text ?? found.diagnostics.map(({ code, near }) => [code, ...(near ?? [])].join(' '))
}

describe('a base', () => {
  it('is the last commit where nothing is said, in a folder below the root of the repository', async () => {
    expect(await baseOf(undefined)).toBe('second')
  })

  it('is any revision, also with the path that the lock had then', async () => {
    expect(await baseOf('HEAD~1')).toBe('first')
    expect(await baseOf('main')).toBe('second')
    expect(await baseOf('v1:old/toolgen.lock.json')).toBe('old')
    expect(await baseOf('main', join(repository.root, 'apps'), '../old')).toBe('old')
  })

  it('is of the commit of a worktree in that', async () => {
    expect(await baseOf(undefined, join(worktree, 'tree/apps/shop'))).toBe('first')
    expect(await baseOf('main', join(worktree, 'tree/apps/shop'))).toBe('second')
  })

  it('is a file, or a folder with one; it comes before a revision of that name', async () => {
    expect(await baseOf('gen/toolgen.lock.json')).toBe('not committed')
    expect(await baseOf('./gen')).toBe('not committed')
    expect(await baseOf('v1')).toBe('beside')
    expect(await baseOf('refs/tags/v1')).toBe('first')
  })

  it('is told apart from what is none', async () => {
    expect(await baseOf('mian')).toEqual(['TG0031 main'])
    expect(await baseOf('empty')).toEqual(['TG0032'])
    expect(await baseOf('main:nowhere.json')).toEqual(['TG0032'])
    expect(await baseOf('./nowhere')).toEqual(['TG0032'])
    expect(await baseOf('nowhere.json')).toEqual(['TG0032'])
    expect(await baseOf(undefined, worktree)).toEqual(['TG0030'])
  })

  it('is not there before the first commit, which is told', async () => {
    const fresh = createProject({ 'README.md': 'Shop\n' })
    execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: fresh.root })
    const messages = async (base: string) => {
      const { diagnostics } = await findBase({ cwd: fresh.root, root: fresh.root, output: 'gen', base })
      return diagnostics.map(({ code, message }) => `${code} ${message}`)
    }
    for (const base of ['HEAD', '@', 'HEAD~1']) {
      expect(await messages(base)).toEqual([
        `TG0031 The revision \`${base}\` does not exist: this branch has no commits yet.`,
      ])
    }
    expect(await messages('HEADS')).toEqual(['TG0031 `HEADS` is neither a revision nor the path of a lock file.'])
    fresh.remove()
  })

  it('is to be committed where a revision has no lock', async () => {
    const root = join(repository.root, 'apps/shop')
    const { diagnostics } = await findBase({ cwd: root, root, output: 'gen', base: 'empty' })
    expect(diagnostics[0]?.next).toMatch(
      /^Run `toolgen generate` and commit its output, or use a revision that contains the file. If the file was moved, use the previous path: /,
    )
  })

  it('never becomes an option of Git', async () => {
    const file = join(worktree, 'written')
    for (const base of [`--output=${file}`, '-h', '--help:x', ':', '']) {
      expect([base, await baseOf(base)]).toEqual([base, ['TG0031']])
    }
    expect(repository.has(file)).toBe(false)
  })
})
