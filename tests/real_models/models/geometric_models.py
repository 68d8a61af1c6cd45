"""torch_geometric: networks over graphs, whose edges are an input."""

import torch
import torch_geometric.nn as g

from .given import Given

MODELS = {}
NODES, EDGES, WIDTH = 20, 50, 8


def edges():
    return torch.randint(0, NODES, (2, EDGES))


class Net(torch.nn.Module):
    """Two layers and a sum over nodes."""

    def __init__(self, make, **call):
        super().__init__()
        self.first, self.second, self.call = make(WIDTH, 12), make(12, 6), call

    def forward(self, x, edge_index, edge_attr=None):
        call = {} if edge_attr is None else {"edge_attr": edge_attr}
        x = torch.relu(self.first(x, edge_index, **call))
        return self.second(x, edge_index, **call)


def linear(i, o):
    return torch.nn.Sequential(torch.nn.Linear(i, o), torch.nn.ReLU(), torch.nn.Linear(o, o))


def add(name, make, attributes=None):
    def given():
        more = (torch.randn(EDGES, attributes),) if attributes else ()
        return Given(Net(make), (torch.randn(NODES, WIDTH), edges(), *more), batch=False)

    MODELS[f"torch_geometric/{name}"] = given


add("gcn", lambda i, o: g.GCNConv(i, o))
add("gat", lambda i, o: g.GATConv(i, o, heads=2, concat=False))
add("gatv2", lambda i, o: g.GATv2Conv(i, o, heads=2, concat=False, edge_dim=4), 4)
add("sage", lambda i, o: g.SAGEConv(i, o))
add("sage_max", lambda i, o: g.SAGEConv(i, o, aggr="max"))
add("gin", lambda i, o: g.GINConv(linear(i, o)))
add("gine", lambda i, o: g.GINEConv(linear(i, o), edge_dim=4), 4)
add("graph_conv", lambda i, o: g.GraphConv(i, o, aggr="mean"))
add("transformer_conv", lambda i, o: g.TransformerConv(i, o, heads=2, concat=False))
add("cheb", lambda i, o: g.ChebConv(i, o, K=3))
add("edge_conv", lambda i, o: g.EdgeConv(linear(2 * i, o)))
add("pna", lambda i, o: g.PNAConv(i, o, ["mean", "min", "max", "std"], ["identity", "amplification"], torch.tensor([0, 5, 8, 4, 2, 1])))
add("nn_conv", lambda i, o: g.NNConv(i, o, torch.nn.Linear(4, i * o)), 4)


class Pooled(torch.nn.Module):
    """A network and pooling over the graphs of a batch."""

    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = g.GCNConv(WIDTH, 12), g.GraphNorm(12), torch.nn.Linear(24, 3)

    def forward(self, x, edge_index, batch):
        x = torch.relu(self.norm(self.first(x, edge_index), batch, 3))
        return self.last(torch.cat([g.global_mean_pool(x, batch, 3), g.global_max_pool(x, batch, 3)], 1))


MODELS["torch_geometric/pooled"] = lambda: Given(Pooled(), (torch.randn(NODES, WIDTH), edges(), torch.randint(0, 3, (NODES,)).sort().values), batch=False)
MODELS["torch_geometric/schnet_interactions"] = lambda: Given(Interactions(), (torch.randn(NODES, 16), edges(), torch.rand(EDGES), torch.rand(EDGES, 10)), batch=False)


class Interactions(torch.nn.Module):
    def __init__(self):
        super().__init__()
        from torch_geometric.nn.models.schnet import InteractionBlock

        self.block = InteractionBlock(16, 10, 16, 5.0)

    def forward(self, x, edge_index, weight, attributes):
        return x + self.block(x, edge_index, weight, attributes)
