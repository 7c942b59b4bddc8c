import { askedKey, asksTheSame } from './asked.js'
import type { Asked, Exchange } from './exchange.js'
import { mismatch, type ToldDifference } from './mismatch.js'

/** An exchange with the line where it stands, from 1. */
export interface Recorded<Kind extends Exchange> {
  readonly line: number
  readonly exchange: Kind
}

/** Where the exchange stands that comes nearest to what is asked for, and where that differs. */
export interface Nearest {
  readonly line: number
  readonly told: readonly ToldDifference[]
}

/** How many exchanges are compared to find the nearest one. */
const MAX_COMPARED = 100

/** The exchanges of a recording, of one kind, that nobody has asked for yet. */
export class UnusedExchanges<Kind extends Exchange> {
  readonly #unused: Set<Recorded<Kind>>
  readonly #byKey = new Map<string, Recorded<Kind>[]>()

  constructor(recorded: readonly Recorded<Kind>[]) {
    this.#unused = new Set([...recorded].sort((a, b) => a.exchange.asked - b.exchange.asked))
    for (const each of this.#unused) {
      const key = askedKey(each.exchange)
      const near = this.#byKey.get(key)
      if (near === undefined) this.#byKey.set(key, [each])
      else near.push(each)
    }
  }

  /** The first exchange that asks for the same, if possible one that is preferred; it is used then. */
  take(asked: Asked, isPreferred: (exchange: Kind) => boolean = () => true): Recorded<Kind> | undefined {
    const near = this.#byKey.get(askedKey(asked)) ?? []
    const isSame = ({ exchange }: Recorded<Kind>): boolean => asksTheSame(exchange, asked)
    const found = near.find((each) => isPreferred(each.exchange) && isSame(each)) ?? near.find(isSame)
    if (found === undefined) return undefined
    near.splice(near.indexOf(found), 1)
    this.#unused.delete(found)
    return found
  }

  /** Of the exchanges of the same agent the one with the fewest differences, of these the first. */
  nearest(asked: Asked): Nearest | undefined {
    let nearest: Nearest | undefined
    let compared = 0
    for (const each of this.#unused) {
      if (each.exchange.agent !== asked.agent) continue
      const told = mismatch(each.exchange, asked)
      if (nearest === undefined || told.length < nearest.told.length) nearest = { line: each.line, told }
      compared += 1
      if (compared === MAX_COMPARED) break
    }
    return nearest
  }

  /** Those that are left, in the order in which they were asked for. */
  all(): readonly Recorded<Kind>[] {
    return [...this.#unused]
  }
}
