import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { Random } from '../codec/differential/random.js'
import { until } from '../sessions/sessions.fixture.js'
import { type Answer, ask, ownerOf, type ServerProcess, ServerProcesses } from './server-processes.js'

const PROCESSES = 4
const SESSIONS = 26
const CALLS = 2_600
/** Requests at the same time. */
const CALLERS = 24

const processes = await ServerProcesses.create()

describe.skipIf(processes === undefined)('sessions of several processes', () => {
  if (processes === undefined) return
  afterEach(() => processes.endAll())
  afterAll(() => processes.close())

  it('loses and supersedes no call if four processes get the calls at random and forward refused calls to the owner', async () => {
    const all = await Promise.all(Array.from({ length: PROCESSES }, () => processes.start()))
    const random = new Random(23)
    const figures = { calls: CALLS, completed: 0, forwarded: 0, superseded: 0, repeated: 0, closes: 0 }
    const streamed = new Set<string>()

    /** Asks a process at random, and the owner if that process refuses. Repeats a call only if the tool was not run. */
    const route = async (request: object): Promise<Answer> => {
      for (let address = random.pick(all).address; ; ) {
        const answer = await ask(address, request)
        if (answer.status === 200) return answer
        const owner = ownerOf(answer)
        if (owner !== undefined) figures.forwarded += 1
        else if (answer.body.code === 'closing' || answer.body.code === 'closed') figures.repeated += 1
        else if (answer.body.code === 'superseded') figures.superseded += 1
        else throw new Error(JSON.stringify(answer))
        address = owner ?? random.pick(all).address
      }
    }

    // A fifth process follows all sessions.
    const subscriber = processes.subscriber()
    const followed = await Promise.all(
      Array.from({ length: SESSIONS }, async (_, index) => {
        await route({ act: 'open', session: `s-${index}` })
        return subscriber.subscribe(`s-${index}`, { userId: 'u-1' })
      }),
    )
    const seen: string[] = []
    const following = followed.map(async (entries) => {
      for await (const { kind, callId } of entries) if (kind === 'completed') seen.push(callId)
    })

    let next = 0
    const caller = async (): Promise<void> => {
      for (let call = next++; call < CALLS; call = next++) {
        const session = `s-${random.below(SESSIONS)}`
        const name = `call ${call}`
        const isStreamed = random.chance(0.5)
        const { body } = await route({ act: 'call', session, tool: isStreamed ? 'later' : 'once', call: name })
        expect(body.status).toBe(isStreamed ? 'streaming' : 'completed')
        figures.completed += 1
        if (isStreamed) streamed.add(body.callId)
        if (random.chance(0.02)) {
          // The session moves to the process that opens it next.
          const { status } = await random.pick(all).ask({ act: 'close', session })
          if (status === 200) figures.closes += 1
        }
      }
    }
    await Promise.all(Array.from({ length: CALLERS }, caller))

    const results = new Map<string, number>()
    for (let index = 0; index < SESSIONS; index += 1) {
      for (let isPending = true; isPending; ) {
        const { body } = await route({ act: 'results', session: `s-${index}` })
        isPending = body.pending
        for (const { completion } of body.completed) {
          expect(completion.outcome.status).toBe('completed')
          results.set(completion.callId, (results.get(completion.callId) ?? 0) + 1)
        }
      }
    }
    await until(() => seen.length >= streamed.size)
    for (const entries of followed) await entries.return?.()
    await Promise.all(following)
    const effects = await processes.effects()
    const once = [...effects.values()].filter((count) => count === 1).length
    const rest = { effects: once, results: results.size, followed: seen.length }
    console.log(`random routing: ${JSON.stringify({ ...figures, ...rest })}`)
    expect(figures).toMatchObject({ completed: CALLS, superseded: 0 })
    expect(figures.forwarded).toBeGreaterThan(CALLS / 2)
    expect([effects.size, once]).toEqual([CALLS, CALLS])
    expect([...results.keys()].sort()).toEqual([...streamed].sort())
    expect(seen.sort()).toEqual([...streamed].sort())
    expect([...results.values()].every((count) => count === 1)).toBe(true)
  })

  it('opens a new session in one process only, if four processes open it at the same time', async () => {
    const all = await Promise.all(Array.from({ length: PROCESSES }, () => processes.start()))
    for (let round = 1; round <= 20; round += 1) {
      const answers = await Promise.all(all.map((each) => each.ask({ act: 'open', session: `new ${round}` })))
      const winners = all.filter((_, index) => answers[index]?.status === 200)
      expect(winners).toHaveLength(1)
      const owners = answers.filter(({ status }) => status !== 200).map(ownerOf)
      expect(owners).toEqual(Array.from({ length: PROCESSES - 1 }, () => winners[0]?.address))
    }
  })

  /** Opens a session in a process until that succeeds. Every refusal must name the owner. */
  async function openAfter(owner: ServerProcess, heir: ServerProcess, session: string): Promise<Answer> {
    for (;;) {
      const answer = await heir.ask({ act: 'open', session })
      if (answer.status === 200) return answer
      expect(ownerOf(answer)).toBe(owner.address)
    }
  }

  const callsAt = async (address: string): Promise<readonly string[]> =>
    (await processes.pool.query('select call from effects where process = $1 order by call', [address])).rows.map(
      ({ call }) => call,
    )

  const waitForEffect = async (call: string): Promise<void> => {
    while ((await processes.effects()).get(call) !== 1) await new Promise((resolve) => setImmediate(resolve))
  }

  it.each([
    ['whose lease expires', 400],
    ['whose lease is expired by the clock of the database', 3_600_000],
  ])(
    'a process that was paused, %s, has no effect in a session that another process has taken over',
    async (name, leaseMs) => {
      const session = `paused ${leaseMs}`
      const [owner, heir] = [await processes.start({ leaseMs }), await processes.start()]
      const first = `first ${name}`
      expect((await owner.ask({ act: 'call', session, tool: 'once', call: first })).body).toMatchObject({
        status: 'completed',
      })
      const long = `streaming ${name}`
      expect((await owner.ask({ act: 'call', session, tool: 'wait_later', call: long })).body.status).toBe('streaming')
      const waiting = `waiting ${name}`
      const inFlight = owner.ask({ act: 'call', session, tool: 'wait', call: waiting })
      await Promise.all([waitForEffect(long), waitForEffect(waiting)])

      owner.child.kill('SIGSTOP')
      const late = Array.from({ length: 10 }, (_, index) =>
        owner.ask({ act: 'call', session, tool: index % 2 ? 'once' : 'later', call: `late ${index} ${name}` }),
      )
      if (leaseMs > 1_000) {
        const refused = await heir.ask({ act: 'open', session })
        expect(refused.body).toMatchObject({ code: 'open_elsewhere', owner: { address: owner.address } })
        expect(refused.body.owner.expiresInMs).toBeGreaterThan(1_000)
        await processes.expire(owner.address)
      }
      const { body } = await openAfter(owner, heir, session)
      expect(body.entries).toMatchObject([{ kind: 'completed', outcome: { error: { reason: 'interrupted' } } }])
      const before = await callsAt(owner.address)
      owner.child.kill('SIGCONT')

      expect((await inFlight).body).toMatchObject({ status: 'failed', error: { reason: 'interrupted' } })
      for (const answer of await Promise.all(late)) {
        expect(answer.status).toBe(409)
        if (answer.body.code !== 'superseded') expect(ownerOf(answer)).toBe(heir.address)
      }
      expect(await callsAt(owner.address)).toEqual(before)
      // The refused calls have not run, so that a router can send them to the new owner.
      for (let index = 0; index < late.length; index += 1) {
        const call = `late ${index} ${name}`
        expect((await heir.ask({ act: 'call', session, tool: 'once', call })).body.status).toBe('completed')
      }
      expect([...(await processes.effects()).values()].every((count) => count === 1)).toBe(true)
    },
  )

  it('a killed process keeps its sessions until its lease has expired; then another process finds all that was stored', async () => {
    const session = 'killed'
    const [owner, heir] = [await processes.start({ leaseMs: 1_000 }), await processes.start()]
    await owner.ask({ act: 'call', session, tool: 'later', call: 'killed: done' })
    await waitForEffect('killed: done')
    await owner.ask({ act: 'call', session, tool: 'wait_later', call: 'killed: running' })
    await waitForEffect('killed: running')
    owner.child.kill('SIGKILL')
    const { body } = await openAfter(owner, heir, session)
    expect(await processes.isExpired(owner.address)).toBe(true)
    const [done, running] = body.entries
    // The result is stored after the effect, so that the process may have been killed in between.
    expect(['completed', 'failed']).toContain(done.outcome.status)
    expect(running.outcome).toMatchObject({ status: 'failed', error: { reason: 'interrupted' } })
  })

  it('asks no clock of a process: neither the owner nor another process loses or gets a session by a jump of its clock', async () => {
    const session = 'jumping'
    const [owner, other] = [await processes.start(), await processes.start()]
    const tenYearsMs = 10 * 365 * 24 * 3_600_000
    for (const [round, offsetMs] of [0, tenYearsMs, -tenYearsMs, 0].entries()) {
      for (const jumping of [owner, other]) {
        await jumping.ask({ act: 'clock', offsetMs })
        const mine = await owner.ask({ act: 'call', session, tool: 'once', call: `jump ${round} ${jumping.address}` })
        expect(mine.body.status).toBe('completed')
        expect(ownerOf(await other.ask({ act: 'open', session }))).toBe(owner.address)
      }
    }
  })

  it('takes a session over from a process that is alive, if asked to; that process has no further effects in it', async () => {
    const session = 'forced'
    const [owner, heir] = [await processes.start(), await processes.start()]
    await owner.ask({ act: 'call', session, tool: 'once', call: 'forced: first' })
    expect((await heir.ask({ act: 'open', session, takeOver: true })).status).toBe(200)
    const late = await owner.ask({ act: 'call', session, tool: 'once', call: 'forced: late' })
    expect(late).toMatchObject({ status: 409, body: { code: 'superseded' } })
    expect(ownerOf(await owner.ask({ act: 'call', session, tool: 'once', call: 'forced: late' }))).toBe(heir.address)
    expect((await processes.effects()).has('forced: late')).toBe(false)
  })
})
