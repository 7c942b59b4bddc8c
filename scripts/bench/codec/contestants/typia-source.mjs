/** Source of the module that `typia generate` transforms: the three shapes, and the measured functions of each shape. */
export const typiaSource = `import typia, { tags } from 'typia'

type Text<Minimum extends number, Maximum extends number> =
  string & tags.MinLength<Minimum> & tags.MaxLength<Maximum>
type Integer<Minimum extends number, Maximum extends number> =
  number & tags.Type<'int32'> & tags.Minimum<Minimum> & tags.Maximum<Maximum>
type DateTime = string & tags.Format<'date-time'>
type Tags = Text<1, 30>[] & tags.MaxItems<10>

export interface Small {
  reference: Text<1, 40>
  title: Text<1, 80>
  quantity: Integer<1, 1000>
  price: number & tags.Minimum<0>
  gift: boolean
  currency: 'EUR' | 'USD' | 'GBP'
  note?: string & tags.MaxLength<200>
  placedAt: DateTime
}

export interface Address {
  street: Text<1, 120>
  city: Text<1, 80>
  postalCode: Text<3, 10>
  country: Text<2, 2>
  state?: string & tags.MaxLength<40>
}

export interface Item {
  sku: Text<1, 32>
  name: Text<1, 120>
  quantity: Integer<1, 1000>
  unitPrice: number & tags.Minimum<0>
  taxRate?: number & tags.Minimum<0> & tags.Maximum<1>
  tags?: Tags
  note?: string & tags.MaxLength<500>
}

export interface Card {
  type: 'card'
  network: 'visa' | 'mastercard' | 'amex'
  last4: Text<4, 4>
  expires: string & tags.Format<'date'>
}

export interface Transfer {
  type: 'transfer'
  iban: Text<15, 34>
  bic?: string & tags.MaxLength<11>
}

export interface Wallet {
  type: 'wallet'
  provider: 'apple' | 'google' | 'paypal'
  email: string & tags.Format<'email'>
}

export interface Medium {
  orderId: Text<1, 40>
  placedAt: DateTime
  customer: {
    id: string & tags.Format<'uuid'>
    name: Text<1, 100>
    email: string & tags.Format<'email'>
    phone?: string & tags.MaxLength<30>
    tier: 'basic' | 'plus' | 'premium'
  }
  shipping: Address
  billing?: Address
  items: Item[] & tags.MinItems<1> & tags.MaxItems<100>
  payment: Card | Transfer | Wallet
  tags: Tags
  total: number & tags.Minimum<0>
  currency: 'EUR' | 'USD' | 'GBP'
  giftMessage?: string & tags.MaxLength<200>
}

export interface LargeRecord {
  id: number & tags.Type<'int32'> & tags.Minimum<1>
  name: Text<1, 80>
  active: boolean
  score: number & tags.Minimum<0> & tags.Maximum<100>
  status: 'open' | 'shipped' | 'returned' | 'closed'
  owner: Text<1, 40>
  createdAt: DateTime
  note?: string & tags.MaxLength<200>
}

export interface Large {
  records: LargeRecord[] & tags.MaxItems<10000>
  next?: string & tags.MaxLength<40>
}
${['Small', 'Medium', 'Large']
  .map(
    (type) => `
export const ${type.toLowerCase()} = {
  is: typia.createIs<${type}>(),
  equals: typia.createEquals<${type}>(),
  isPrune: typia.misc.createIsPrune<${type}>(),
  validateEquals: typia.createValidateEquals<${type}>(),
  stringify: typia.json.createStringify<${type}>(),
}
`,
  )
  .join('')}`
