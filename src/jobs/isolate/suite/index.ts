export { attackers, CONTROL_CYCLE_NS } from './attackers.js';
export {
  type AttackClass,
  type Attacker,
  COLUMNS,
  type Column,
  type SuiteTenant,
  type Victim,
} from './entry.js';
export { victims } from './victims.js';
