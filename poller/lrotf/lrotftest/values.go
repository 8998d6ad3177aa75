package lrotftest

import (
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// value converts a Config, or one of the values in it, to type typ.
func value(typ tftypes.Type, from any) (tftypes.Value, error) {
	object, ok := typ.(tftypes.Object)
	if !ok || from == nil {
		return scalar(typ, from)
	}
	given, ok := from.(Config)
	if !ok {
		return tftypes.Value{}, fmt.Errorf("%T is not a Config", from)
	}
	for name := range given {
		if _, ok := object.AttributeTypes[name]; !ok {
			return tftypes.Value{}, fmt.Errorf("there is no attribute %q", name)
		}
	}
	all := map[string]tftypes.Value{}
	for name, t := range object.AttributeTypes {
		v, err := value(t, given[name])
		if err != nil {
			return tftypes.Value{}, fmt.Errorf("%s: %w", name, err)
		}
		all[name] = v
	}
	return tftypes.NewValue(typ, all), nil
}

func scalar(typ tftypes.Type, from any) (tftypes.Value, error) {
	if i, ok := from.(int); ok {
		from = int64(i)
	}
	if err := tftypes.ValidateValue(typ, from); err != nil {
		return tftypes.Value{}, err
	}
	return tftypes.NewValue(typ, from), nil
}

// plain converts v to a value that encoding/json can encode.
func plain(v tftypes.Value) any {
	var n big.Float
	if v.As(&n) == nil {
		return json.Number(n.Text('f', -1))
	}
	return v.String()
}

// encode converts values of the resource to the protocol's wire format.
func (w *Workspace) encode(values ...tftypes.Value) ([]*tfprotov6.DynamicValue, error) {
	var encoded []*tfprotov6.DynamicValue
	for _, v := range values {
		d, err := tfprotov6.NewDynamicValue(w.typ, v)
		if err != nil {
			return nil, err
		}
		encoded = append(encoded, &d)
	}
	return encoded, nil
}

// proposed returns the new state that Terraform proposes: the configuration, plus the prior values
// of the computed attributes that the configuration does not set.
func (w *Workspace) proposed(prior, config tftypes.Value) (tftypes.Value, error) {
	if prior.IsNull() || config.IsNull() {
		return config, nil
	}
	var before, all map[string]tftypes.Value
	if err := prior.As(&before); err != nil {
		return config, err
	}
	if err := config.As(&all); err != nil {
		return config, err
	}
	for _, a := range w.block.Attributes {
		if a.Computed && all[a.Name].IsNull() {
			all[a.Name] = before[a.Name]
		}
	}
	return tftypes.NewValue(w.typ, all), nil
}
