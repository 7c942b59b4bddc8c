/** A program with known calls and a known value. */
export interface RandomProgram {
  /** TypeScript that passes the check. It is JavaScript without the types in its first line. */
  readonly code: string
  /** Ids of the expected calls if the program is neither killed nor cancelled. */
  readonly ids: readonly number[]
  /** The returned value; `undefined` if the program ends with an error. */
  readonly value: readonly unknown[] | undefined
}

/** Sequence of random numbers with a seed. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Returns a number from 0 to `limit - 1`. */
  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return (this.#state >>> 8) % limit
  }

  of<Value>(values: readonly Value[]): Value {
    const value = values[this.below(values.length)]
    if (value === undefined) throw new Error('no values')
    return value
  }
}

/** Returns a program with random statements. Each call has an id from `firstId` on. */
export function randomProgram(random: Random, firstId: number): RandomProgram {
  return new ProgramMaker(random, firstId).program()
}

class ProgramMaker {
  readonly #random: Random
  readonly #lines: string[] = ['const out: Json[] = []']
  readonly #ids: number[] = []
  readonly #value: unknown[] = []
  /** Names and values of variables with numbers. */
  readonly #numbers: [name: string, value: number][] = []
  #nextId: number

  constructor(random: Random, firstId: number) {
    this.#random = random
    this.#nextId = firstId
  }

  program(): RandomProgram {
    const count = 1 + this.#random.below(8)
    for (let at = 0; at < count; at += 1) this.#random.of(this.#statements)()
    const isFailing = this.#random.below(8) === 0
    if (isFailing) this.#lines.push(`await tools.fail({ id: ${this.#id()} })`)
    return {
      code: [...this.#lines, 'return out'].join('\n'),
      ids: this.#ids,
      value: isFailing ? undefined : this.#value,
    }
  }

  readonly #statements: readonly (() => void)[] = [
    () => {
      const [text, value] = this.#sum()
      const name = `v${this.#lines.length}`
      this.#lines.push(`const ${name} = (await ${text}).sum`, `out.push(${name})`)
      this.#numbers.push([name, value])
      this.#value.push(value)
    },
    () => {
      const sums = Array.from({ length: 1 + this.#random.below(20) }, () => this.#sum())
      this.#lines.push(
        `for (const { sum } of await Promise.all([${sums.map(([text]) => text).join(', ')}])) out.push(sum)`,
      )
      this.#value.push(...sums.map(([, value]) => value))
    },
    () => {
      const count = 1 + this.#random.below(10)
      const first = this.#id()
      for (let at = 1; at < count; at += 1) this.#id()
      this.#lines.push(
        `for (let i = 0; i < ${count}; i++) out.push((await tools.add({ id: ${first} + i, a: i, b: 1 })).sum)`,
      )
      for (let at = 0; at < count; at += 1) this.#value.push(at + 1)
    },
    () => {
      this.#lines.push(`try { await tools.fail({ id: ${this.#id()} }) } catch (error) { out.push(String(error)) }`)
      this.#value.push('ToolError: It is closed.')
    },
    () => {
      const size = this.#random.below(20_000)
      this.#lines.push(`out.push((await tools.text({ id: ${this.#id()}, size: ${size} })).text.length)`)
      this.#value.push(size)
    },
    () => {
      const waited = this.#random.below(8)
      this.#lines.push(`out.push((await tools.wait({ id: ${this.#id()}, ms: ${waited} })).waited)`)
      this.#value.push(waited)
    },
    () => {
      const count = this.#random.below(2_000)
      this.#lines.push(
        `out.push(Array.from({ length: ${count} }, (_, at) => at * 2).reduce((sum, each) => sum + each, 0))`,
      )
      this.#value.push(count === 0 ? 0 : count * (count - 1))
    },
    () => {
      this.#lines.push("console.log('line', out)")
    },
  ]

  #sum(): readonly [text: string, value: number] {
    const [name, value] =
      this.#numbers.length > 0 ? this.#random.of(this.#numbers) : ([`${this.#random.below(9)}`, 0] as const)
    const first = this.#numbers.length > 0 ? value : Number(name)
    const second = this.#random.below(100)
    return [`tools.add({ id: ${this.#id()}, a: ${name}, b: ${second} })`, first + second]
  }

  #id(): number {
    const id = this.#nextId
    this.#nextId += 1
    this.#ids.push(id)
    return id
  }
}
