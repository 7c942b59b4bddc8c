import type { PythonNumber } from './python-number.js'
import { add, divide, ExpressionError, multiply, negate, printRounded } from './python-number.js'

/**
 * Returns the value of an expression with numbers, `+ - * /` and parentheses, as Python's `str(round(float(value), 2))` prints it. Returns an error
 * text for an invalid expression.
 *
 * @example calculate('(350 - 122) * 2') // '456.0'
 */
export function calculate(expression: string): string {
  if (/[^0-9+\-*/(). ]/.test(expression)) return 'Error: invalid characters in expression'
  try {
    return printRounded(new Parser(expression).value())
  } catch (error) {
    if (error instanceof ExpressionError) return `Error: ${error.message}`
    throw error
  }
}

/** Maximum nesting. Deeper expressions are rejected before they exceed the call stack, as in Python. */
const deepestNesting = 200

/** Recursive descent parser for the tokens of one expression. */
class Parser {
  readonly #tokens: readonly string[]
  #position = 0
  #depth = 0

  constructor(expression: string) {
    this.#tokens = expression.match(/\d+\.?\d*|\.\d+|[^ ]/g) ?? []
  }

  value(): PythonNumber {
    const value = this.#sum()
    if (this.#position < this.#tokens.length) throw syntaxError()
    return value
  }

  #sum(): PythonNumber {
    let left = this.#product()
    for (let sign = this.#take('+', '-'); sign !== undefined; sign = this.#take('+', '-')) {
      const right = this.#product()
      left = add(left, sign === '+' ? right : negate(right))
    }
    return left
  }

  #product(): PythonNumber {
    let left = this.#signed()
    for (let sign = this.#take('*', '/'); sign !== undefined; sign = this.#take('*', '/')) {
      const right = this.#signed()
      left = sign === '*' ? multiply(left, right) : divide(left, right)
    }
    return left
  }

  #signed(): PythonNumber {
    let negative = false
    for (let sign = this.#take('+', '-'); sign !== undefined; sign = this.#take('+', '-')) {
      negative = negative !== (sign === '-')
    }
    const value = this.#atom()
    return negative ? negate(value) : value
  }

  #atom(): PythonNumber {
    if (this.#take('(') === undefined) return this.#literal()
    this.#depth += 1
    if (this.#depth > deepestNesting) throw new ExpressionError('too many nested parentheses (<string>, line 1)')
    const value = this.#sum()
    if (this.#take(')') === undefined) throw syntaxError()
    this.#depth -= 1
    return value
  }

  #literal(): PythonNumber {
    const token = this.#tokens[this.#position] ?? ''
    this.#position += 1
    if (/^(0+|[1-9]\d*)$/.test(token)) return BigInt(token)
    if (/^(\d+\.\d*|\.\d+)$/.test(token)) return Number(token)
    throw syntaxError()
  }

  #take(...wanted: readonly string[]): string | undefined {
    const token = this.#tokens[this.#position]
    if (token === undefined || !wanted.includes(token)) return undefined
    this.#position += 1
    return token
  }
}

function syntaxError(): ExpressionError {
  return new ExpressionError('invalid syntax (<string>, line 1)')
}
