import { demo } from './demo.js'

await demo(console.log)
