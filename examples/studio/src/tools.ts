import { openShop } from './shop.js'

/** The tools and agents of `toolgen dev`, `toolgen call` and `toolgen run`. */
export const tools = openShop()
