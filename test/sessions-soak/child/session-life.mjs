import { setTimeout as pause } from 'node:timers/promises'
import { isToolgenError } from '@toolgen/runtime'
import { Random } from './random.mjs'
import { take } from './take.mjs'

const CALLERS = 2
const TAKERS = 2

/** One session of this process: opened, called and taken from by several at once, closed and opened again, until the end. */
export class SessionLife {
  #registry
  #who
  #log
  #random
  #life
  #session
  #calls = 0
  #takes = 0
  #stays
  /** Whether another process has the session now. */
  #isLost = false

  constructor(registry, who, { log, seed, life, stays = false }) {
    this.#registry = registry
    this.#who = who
    this.#log = log
    this.#life = life
    this.#stays = stays
    this.#random = new Random(seed, who.id)
  }

  /** Opens the session; what is stored of it is told. */
  async begin() {
    const { id, userId, stranger, namespaces } = this.#who
    // The process before was killed, or its sessions are taken over while it runs.
    const takeOver = this.#session === undefined
    this.#session = await this.#registry.open(id, { userId, namespaces, takeOver })
    this.#tell('restored', { entries: this.#session.poll(), pending: this.#session.pending() })
    if (this.#random.chance(0.2)) {
      const answer = await this.#registry.restore(id, { userId: stranger }).catch(codeOf)
      this.#tell('strange', { user: stranger, answer: typeof answer === 'string' ? answer : 'given' })
    }
  }

  async work() {
    for (;;) {
      await this.#visit()
      if (this.#isLost) return
      await this.begin()
    }
  }

  /** Takes what there is, and closes the session. */
  async drain() {
    await this.begin()
    await this.#take()
    await this.#registry.close(this.#who.id)
    this.#tell('closed')
  }

  /** From an open session to one that is closed, or that another process has. */
  async #visit() {
    const visit = { isClosing: false, isClosed: false }
    const busy = Promise.all([
      this.#watch(visit),
      ...Array.from({ length: CALLERS }, () => this.#callUntil(visit)),
      ...Array.from({ length: TAKERS }, () => this.#takeUntil(visit)),
    ])
    if (!this.#stays) await this.#close(visit)
    await busy
  }

  async #close(visit) {
    await pause(20 + this.#random.below(1_500))
    visit.isClosing = true
    const cancel = this.#random.chance(0.2)
    this.#tell('closing', { cancel })
    await this.#registry.close(this.#who.id, { drainMs: this.#random.pick([0, 5, 50]), cancel })
    visit.isClosed = true
    this.#tell('closed')
  }

  async #watch(visit) {
    try {
      for await (const entry of this.#session) this.#tell('seen', { entry })
    } catch (error) {
      if (codeOf(error) !== 'superseded' || !this.#stays) throw error
      this.#isLost = true
      visit.isClosing = true
      visit.isClosed = true
    }
  }

  async #callUntil(visit) {
    while (!visit.isClosing) {
      await this.#call()
      await pause(this.#random.below(8))
    }
  }

  async #call() {
    this.#calls += 1
    const key = `${this.#life}.${this.#who.id}.${this.#calls}`
    const random = this.#random
    const args = {
      key,
      updates: random.below(5),
      pauseMs: random.pick([0, 0, 1, 20, 300]),
      // Long results have rows of their own.
      pad: random.pick([0, 0, 0, 3_000, 30_000]),
      end: random.pick(['result', 'result', 'result', 'failure', 'never']),
    }
    const tool = random.pick(this.#session.tools).id
    this.#tell('called', { key, updates: args.updates, pad: args.pad, end: args.end })
    try {
      const answer = await this.#session.execute({ tool, arguments: JSON.stringify(args), toolCallId: key })
      if (answer.status !== 'streaming') return this.#tell('answered', { key, status: answer.status })
      this.#tell('acknowledged', { key, callId: answer.callId })
      if (args.end === 'never' || random.chance(0.05)) void this.#cancelLater(key, answer.callId)
    } catch (error) {
      this.#tell('refused', { key, code: codeOf(error) })
    }
  }

  async #cancelLater(key, callId) {
    await pause(this.#random.below(200))
    this.#tell('cancelling', { key })
    this.#session.cancel(callId)
  }

  async #takeUntil(visit) {
    while (!visit.isClosed) {
      await pause(this.#random.below(30))
      if (!visit.isClosed) await this.#take(this.#random.chance(0.5))
    }
  }

  async #take(onlyCompleted = false) {
    this.#takes += 1
    const number = this.#takes
    await take(this.#session, onlyCompleted, (type, facts) => this.#tell(type, { take: number, ...facts }))
  }

  #tell(type, facts) {
    this.#log.write({ type, session: this.#who.id, ...facts })
  }
}

/** @throws whatever is no error of a session. */
function codeOf(error) {
  if (isToolgenError(error, 'SessionError')) return error.code
  throw error
}
